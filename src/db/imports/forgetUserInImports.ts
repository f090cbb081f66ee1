import type { ImportKind } from '../../contract/imports.ts';
import { partOf, readRow, rowOf, sortedPartOf } from '../../rules/importedRows.ts';
import type { PoolClient, Queryable } from '../pool.ts';
import type { UserKey } from '../users/userMap.ts';

/** Number of the advisory lock. Every version of laurel must use the same one. */
const REFUSALS_LOCK = 7_281_935_472;

/** Lets an erasure and imports that add refused rows wait for each other until the transaction ends. */
export async function lockRefusals(client: PoolClient, mode: 'shared' | 'exclusive'): Promise<void> {
  const suffix = mode === 'shared' ? '_shared' : '';
  await client.query(`select pg_advisory_xact_lock${suffix}(${REFUSALS_LOCK})`);
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
  const { rows: open } = await db.query<{ id: string; kind: ImportKind; ranges: string[] | null }>(
    `select id, kind, ranges from imports where tenant = $1 and finished_at is null
     order by no ${locks ? 'for key share' : ''}`,
    [tenant],
  );
  for (const { id, kind, ranges } of open) {
    const parts = [partOf(userId), ...(ranges === null ? [] : [sortedPartOf(ranges, userId)])];
    const { rows } = await db.query<{ part: number; chunk: number; lines: string }>(
      `select part, chunk, lines from import_parts where import = $1 and part = any($2::smallint[])
       order by part, chunk ${locks ? 'for update' : ''}`,
      [id, parts],
    );
    for (const { part, chunk, lines } of rows) {
      const all = lines.split('\n').filter((line) => line !== '');
      const others = all.filter((line) => readRow(kind, rowOf(line)).userId !== userId);
      if (others.length < all.length) yield { id, part, chunk, others };
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
    await client.query('update import_parts set lines = $4 where import = $1 and part = $2 and chunk = $3', [
      id,
      part,
      chunk,
      others.join('\n'),
    ]);
  }
}
