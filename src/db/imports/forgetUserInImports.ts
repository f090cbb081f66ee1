import type { ImportKind } from '../../contract/imports.ts';
import { partOf, readRow, rowOf, sortedPartOf } from '../../rules/importedRows.ts';
import type { PoolClient, Queryable } from '../pool.ts';
import { all, execute } from '../rows.ts';
import { raw } from '../sql.ts';
import type { UserKey } from '../users/userMap.ts';

/** Number of the advisory lock. Every version of laurel must use the same one. */
const REFUSALS_LOCK = 7_281_935_472;

/** Lets an erasure and imports that add refused rows wait for each other until the transaction ends. */
export async function lockRefusals(client: PoolClient, mode: 'shared' | 'exclusive'): Promise<void> {
  const suffix = mode === 'shared' ? '_shared' : '';
  await execute(client)`select pg_advisory_xact_lock${raw(suffix)}(${REFUSALS_LOCK}::bigint)`;
}

/** A chunk of a part that has rows of the user, and its other lines. */
interface ChunkOfUser {
  id: string;
  part: number;
  chunk: number;
  others: string[];
}

/** The chunks with rows of a user in the imports of the tenant that have not ended. */
async function* chunksOfUser(
  db: Queryable,
  { tenant, userId }: UserKey,
  { locks }: { locks: boolean },
): AsyncGenerator<ChunkOfUser> {
  // The lock makes a worker that sorts the rows wait.
  const open = await all(db)<{ id: string; kind: ImportKind; ranges: string[] | null }>`
    select id, kind, ranges from imports where tenant = ${tenant} and finished_at is null
    order by no ${raw(locks ? 'for key share' : '')}`;
  for (const { id, kind, ranges } of open) {
    const parts = [partOf(userId), ...(ranges === null ? [] : [sortedPartOf(ranges, userId)])];
    const rows = await all(db)<{ part: number; chunk: number; lines: string }>`
      select part, chunk, lines from import_parts where import = ${id} and part = any(${parts}::smallint[])
      order by part, chunk ${raw(locks ? 'for update' : '')}`;
    for (const { part, chunk, lines } of rows) {
      const given = lines.split('\n').filter((line) => line !== '');
      const others = given.filter((line) => readRow(kind, rowOf(line)).userId !== userId);
      if (others.length < given.length) yield { id, part, chunk, others };
    }
  }
}

/** Whether rows of a user wait in imports of the tenant. */
export async function isInImports(db: Queryable, user: UserKey): Promise<boolean> {
  const { done } = await chunksOfUser(db, user, { locks: false }).next();
  return done !== true;
}

/** Removes the rows of a user from the imports of the tenant that have not ended. */
export async function forgetUserInImports(client: PoolClient, user: UserKey): Promise<void> {
  await lockRefusals(client, 'exclusive');
  for await (const { id, part, chunk, others } of chunksOfUser(client, user, { locks: true })) {
    await execute(client)`
      update import_parts set lines = ${others.join('\n')}
      where import = ${id} and part = ${part} and chunk = ${chunk}`;
  }
}
