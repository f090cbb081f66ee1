import type { ImportKind } from '../../contract/imports.ts';
import { partOf, readRow, rowOf, sortedPartOf } from '../../rules/importedRows.ts';
import type { PoolClient } from '../pool.ts';
import type { UserKey } from '../users/userMap.ts';

/** Removes the rows of a user from the imports of the tenant that have not ended. */
export async function forgetUserInImports(client: PoolClient, { tenant, userId }: UserKey): Promise<void> {
  // The lock makes a worker that sorts the rows wait.
  const { rows: open } = await client.query<{ id: string; kind: ImportKind; ranges: string[] | null }>(
    `select id, kind, ranges from imports where tenant = $1 and finished_at is null
     order by no for key share`,
    [tenant],
  );
  for (const { id, kind, ranges } of open) {
    const parts = [partOf(userId), ...(ranges === null ? [] : [sortedPartOf(ranges, userId)])];
    const { rows } = await client.query<{ part: number; chunk: number; lines: string }>(
      `select part, chunk, lines from import_parts where import = $1 and part = any($2::smallint[])
       order by part, chunk for update`,
      [id, parts],
    );
    for (const { part, chunk, lines } of rows) {
      const all = lines.split('\n');
      const kept = all.filter((line) => line !== '' && readRow(kind, rowOf(line)).userId !== userId);
      if (kept.length === all.length) continue;
      await client.query(
        'update import_parts set lines = $4 where import = $1 and part = $2 and chunk = $3',
        [id, part, chunk, kept.join('\n')],
      );
    }
  }
}
