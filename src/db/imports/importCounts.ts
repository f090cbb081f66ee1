import type { ImportKind, ImportState } from '../../contract/imports.ts';
import type { Queryable } from '../pool.ts';

export async function countImports(db: Queryable): Promise<{ state: ImportState; count: number }[]> {
  const { rows } = await db.query<{ state: ImportState; count: number }>(
    `select case when is_paused and finished_at is null and state <> 'cancelled' then 'paused' else state end as state,
       count(*)::float8 as count
     from imports group by 1`,
  );
  return rows;
}

interface ImportedRowCounts {
  kind: ImportKind;
  applied: number;
  refused: number;
  waiting: number;
}

/** Rows of all imports. A cancelled one has no waiting rows. */
export async function countImportedRows(db: Queryable): Promise<ImportedRowCounts[]> {
  const { rows } = await db.query<ImportedRowCounts>(
    `select kind, sum(rows_applied)::float8 as applied, sum(rows_refused)::float8 as refused,
       coalesce(sum(rows_received - rows_applied - rows_refused) filter (where state <> 'cancelled'), 0)::float8 as waiting
     from imports group by kind`,
  );
  return rows;
}
