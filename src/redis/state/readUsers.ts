import { pack } from '../decoding/codec.ts';
import { READ_USER } from '../layouts/argumentLayout.ts';
import { type RecordOf, toRecords } from '../layouts/recordLayout.ts';
import type { Scripts } from '../scripts/scripts.ts';

/** A user to read; `withHistory`: with what Redis keeps of the history (keptHistory.ts). */
export type AskedUser = RecordOf<typeof READ_USER>;

/** A user as Redis holds it: both parts of the state, not decoded (see decodeUserState). */
export interface FoundUser {
  /** Version of the tenant's rules in force; infinite if there are none. */
  version: number;
  /** Empty for an unknown user. */
  hot: Buffer;
  cold: Buffer;
  /** Empty if it was not asked for. */
  keptList: Buffer[];
}

/** Reads users of a cell in one call, in the same order. */
export async function readUsers(
  scripts: Scripts,
  cell: number,
  users: readonly AskedUser[],
): Promise<FoundUser[]> {
  const reply = await scripts.readUsers(cell, pack(toRecords(READ_USER, users)));
  let at = 0;
  const length = (): number => {
    at += 4;
    return reply.readUInt32BE(at - 4);
  };
  const bytes = (count: number): Buffer => {
    at += count;
    return reply.subarray(at - count, at);
  };
  return users.map(() => {
    const version = bytes(8).readDoubleBE();
    const [hot, cold, items] = [length(), length(), length()];
    return {
      version,
      hot: bytes(hot),
      cold: bytes(cold),
      keptList: Array.from({ length: items }, () => bytes(length())),
    };
  });
}
