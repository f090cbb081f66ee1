import { IMPORT_REFUSED_KEPT_MAX } from '../../base/importLimits.ts';
import type { ImportKind, RefusedRow } from '../../contract/imports.ts';
import type { Queryable } from '../pool.ts';

/** A file of users or past events that is being imported, or was. */
export interface ImportRecord {
  id: string;
  /** Order of creation. */
  no: number;
  tenant: number;
  kind: ImportKind;
  merge: 'add' | null;
  name: string;
  state: 'receiving' | 'running' | 'cancelled' | 'done';
  isPaused: boolean;
  /** Number of chunks received. */
  chunks: number;
  received: number;
  applied: number;
  refused: number;
  created: Date;
  startedAt: Date | null;
  finishedAt: Date | null;
}

/** A refused row of a tenant; `userId` is null if the row names none. */
export interface Refusal extends RefusedRow {
  tenant: number;
}

const COLUMNS = `id, no::float8 as no, tenant, kind, merge, name, state, is_paused as "isPaused", chunks, rows_received::float8 as received,
  rows_applied::float8 as applied, rows_refused::float8 as refused, created, started_at as "startedAt",
  finished_at as "finishedAt"`;

/** @returns false if another tenant has an import with this id: then nothing was inserted */
export async function insertImport(
  db: Queryable,
  { id, tenant, kind, merge, name }: Pick<ImportRecord, 'id' | 'tenant' | 'kind' | 'merge' | 'name'>,
  now: number,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `insert into imports (id, tenant, kind, merge, name, created) values ($1, $2, $3, $4, $5, $6)
     on conflict (id) do nothing`,
    [id, tenant, kind, merge, name, new Date(now)],
  );
  return rowCount === 1;
}

/** Whether the rows of the import are to be applied. */
export const isRunning = ({ state, isPaused }: Pick<ImportRecord, 'state' | 'isPaused'>): boolean =>
  state === 'running' && !isPaused;

export async function countOpenImports(db: Queryable, tenant: number): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    'select count(*)::integer as count from imports where tenant = $1 and finished_at is null',
    [tenant],
  );
  return rows[0]!.count;
}

/** @param locks until the end of the transaction, no other one changes the import */
export async function findImport(
  db: Queryable,
  { tenant, id }: Pick<ImportRecord, 'tenant' | 'id'>,
  locks = false,
): Promise<ImportRecord | null> {
  const { rows } = await db.query<ImportRecord>(
    `select ${COLUMNS} from imports where tenant = $1 and id = $2 ${locks ? 'for update' : ''}`,
    [tenant, id],
  );
  return rows[0] ?? null;
}

/** Imports of a tenant, newest first. */
export async function listImports(
  db: Queryable,
  tenant: number,
  { limit, skip }: { limit: number; skip: number },
): Promise<ImportRecord[]> {
  const { rows } = await db.query<ImportRecord>(
    `select ${COLUMNS} from imports where tenant = $1 order by no desc limit $2 offset $3`,
    [tenant, limit, skip],
  );
  return rows;
}

/** Imports of all tenants that a worker is to go on with or to end, oldest first. */
export async function listWaitingImports(db: Queryable): Promise<ImportRecord[]> {
  const { rows } = await db.query<ImportRecord>(
    `select ${COLUMNS} from imports
     where finished_at is null and (state = 'cancelled' or (state = 'running' and not is_paused)) order by no`,
  );
  return rows;
}

export async function setPaused(db: Queryable, id: string, isPaused: boolean): Promise<void> {
  await db.query('update imports set is_paused = $2 where id = $1', [id, isPaused]);
}

/** A worker then counts what was applied, and ends the import. */
export async function cancel(db: Queryable, id: string): Promise<void> {
  await db.query(`update imports set state = 'cancelled' where id = $1`, [id]);
}

/** Ends an import, and deletes the rows that were not applied. */
export async function endImport(
  db: Queryable,
  id: string,
  state: 'cancelled' | 'done',
  now: number,
): Promise<void> {
  await db.query('delete from import_parts where import = $1', [id]);
  await db.query('update imports set state = $2, finished_at = $3 where id = $1', [id, state, new Date(now)]);
}

/** Keeps refused rows, as long as the import has not too many of them, and counts all. */
export async function addRefusals(db: Queryable, id: string, refusals: readonly Refusal[]): Promise<void> {
  if (refusals.length === 0) return;
  await db.query(
    `insert into import_refusals (import, line, tenant, user_id, reason, content)
     select $1, line, tenant, "userId", reason, row
     from jsonb_to_recordset($2::jsonb) as refused (line bigint, tenant integer, "userId" text, reason text, row text)
     where (select rows_refused from imports where id = $1) < $3
     on conflict do nothing`,
    [id, JSON.stringify(refusals), IMPORT_REFUSED_KEPT_MAX],
  );
  await db.query('update imports set rows_refused = rows_refused + $2 where id = $1', [id, refusals.length]);
}

export async function listRefusals(db: Queryable, id: string): Promise<RefusedRow[]> {
  const { rows } = await db.query<RefusedRow>(
    `select line::float8 as line, user_id as "userId", reason, content as row from import_refusals
     where import = $1 order by import_refusals.line limit $2`,
    [id, IMPORT_REFUSED_KEPT_MAX],
  );
  return rows;
}
