import { prepared } from '../../db/rows.ts';
import { foldPart, type KeptUser, partNamed } from '../../engine/keptHistory/keptParts.ts';
import { readKeptHistory } from '../../redis/decoding/keptHistory.ts';
import type { UserState } from '../../redis/decoding/userState.ts';
import type { CheckContext, NameDifference } from './differences.ts';

/**
 * Compares the history that Redis keeps of a user with PostgreSQL, part by part. One that lacks a change is
 * not used and not compared.
 * @param list as the scripts write it
 */
export async function compareKept(
  { pool }: CheckContext,
  user: KeptUser,
  state: UserState,
  list: readonly Buffer[],
  report: NameDifference,
): Promise<void> {
  const known = state.keepsHistory ? readKeptHistory(list, state.sequence) : null;
  for (const name of Object.keys(known?.parts ?? {})) {
    const part = partNamed(name);
    const kept = foldPart(part, known!, user);
    const recorded = await part.read(prepared(pool), user, kept);
    if (part.agrees(kept, recorded)) continue;
    const [inRedis, inHistory] = [kept, recorded].map((value) => JSON.stringify(value));
    report('history', `${name}: Redis keeps ${inRedis}, PostgreSQL has ${inHistory}`);
  }
}
