import { IMPORT_REFUSED_KEPT_MAX } from '../../base/importLimits.ts';
import type { Page } from '../../contract/admin.ts';
import type { ImportKind, ImportState, RefusedRow } from '../../contract/imports.ts';
import type { Queryable } from '../pool.ts';
import { all, execute, first, some, value } from '../rows.ts';
import { raw, sql } from '../sql.ts';

/** A file of users or past events that is being imported, or was. */
export interface ImportRecord {
  id: string;
  /** Order of creation. */
  no: number;
  tenant: number;
  kind: ImportKind;
  merge: 'add' | null;
  name: string;
  /** Pause after the events of each day, s. null: users are applied one after the other. */
  secondsPerDay: number | null;
  /** The day whose events were applied last, with pauses. */
  day: string | null;
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

const COLUMNS = sql`id, no::float8 as no, tenant, kind, merge, name,
  seconds_per_day as "secondsPerDay", day::text as day, state, is_paused as "isPaused",
  chunks, rows_received::float8 as received,
  rows_applied::float8 as applied, rows_refused::float8 as refused, created, started_at as "startedAt",
  finished_at as "finishedAt"`;

/** @returns false if another tenant has an import with this id: then nothing was inserted */
export const insertImport = (
  db: Queryable,
  {
    id,
    tenant,
    kind,
    merge,
    name,
    secondsPerDay,
  }: Pick<ImportRecord, 'id' | 'tenant' | 'kind' | 'merge' | 'name' | 'secondsPerDay'>,
  now: number,
): Promise<boolean> =>
  some(db)`
    insert into imports (id, tenant, kind, merge, name, seconds_per_day, created)
    values (${id}, ${tenant}, ${kind}, ${merge}, ${name}, ${secondsPerDay}, ${new Date(now)})
    on conflict (id) do nothing`;

/** Whether the rows of the import are to be applied. */
export const isRunning = ({ state, isPaused }: Pick<ImportRecord, 'state' | 'isPaused'>): boolean =>
  state === 'running' && !isPaused;

export const countOpenImports = (db: Queryable, tenant: number): Promise<number> =>
  value(db)`select count(*)::integer as count from imports where tenant = ${tenant} and finished_at is null`;

/** @param locks until the end of the transaction, no other one changes the import */
export const findImport = (
  db: Queryable,
  { tenant, id }: Pick<ImportRecord, 'tenant' | 'id'>,
  locks = false,
): Promise<ImportRecord | null> =>
  first(db)`
    select ${COLUMNS} from imports where tenant = ${tenant} and id = ${id} ${raw(locks ? 'for update' : '')}`;

/** Imports of a tenant, newest first. */
export const listImports = (db: Queryable, tenant: number, { limit, skip }: Page): Promise<ImportRecord[]> =>
  all(db)`
    select ${COLUMNS} from imports where tenant = ${tenant} order by no desc limit ${limit} offset ${skip}`;

/** Imports of all tenants that a worker is to go on with or to end, oldest first. */
export const listWaitingImports = (db: Queryable): Promise<ImportRecord[]> =>
  all(db)`
    select ${COLUMNS} from imports
    where finished_at is null and (state = 'cancelled' or (state = 'running' and not is_paused)) order by no`;

export async function setPaused(db: Queryable, id: string, isPaused: boolean): Promise<void> {
  await execute(db)`update imports set is_paused = ${isPaused} where id = ${id}`;
}

/** Records that the events of a day are applied. */
export async function setDay(db: Queryable, id: string, day: string): Promise<void> {
  await execute(db)`update imports set day = ${day} where id = ${id}`;
}

/** A worker then counts what was applied, and ends the import. */
export async function cancel(db: Queryable, id: string): Promise<void> {
  await execute(db)`update imports set state = 'cancelled' where id = ${id}`;
}

/** Ends an import, and deletes the rows that were not applied. */
export async function endImport(
  db: Queryable,
  id: string,
  state: 'cancelled' | 'done',
  now: number,
): Promise<void> {
  await execute(db)`delete from import_parts where import = ${id}`;
  await execute(db)`update imports set state = ${state}, finished_at = ${new Date(now)} where id = ${id}`;
}

/** Keeps refused rows, as long as the import has not too many of them, and counts all. */
export async function addRefusals(db: Queryable, id: string, refusals: readonly Refusal[]): Promise<void> {
  if (refusals.length === 0) return;
  await execute(db)`
    insert into import_refusals (import, line, tenant, user_id, reason, content)
    select ${id}, line, tenant, "userId", reason, row
    from jsonb_to_recordset(${JSON.stringify(refusals)}::jsonb) as refused (line bigint, tenant integer,
      "userId" text, reason text, row text)
    where (select rows_refused from imports where id = ${id}) < ${IMPORT_REFUSED_KEPT_MAX}
    on conflict do nothing`;
  await execute(db)`update imports set rows_refused = rows_refused + ${refusals.length} where id = ${id}`;
}

export const listRefusals = (db: Queryable, id: string): Promise<RefusedRow[]> =>
  all(db)`
    select line::float8 as line, user_id as "userId", reason, content as row from import_refusals
    where import = ${id} order by import_refusals.line limit ${IMPORT_REFUSED_KEPT_MAX}`;

export const countImports = (db: Queryable): Promise<{ state: ImportState; count: number }[]> =>
  all(db)`
    select case when is_paused and finished_at is null and state <> 'cancelled' then 'paused'
      else state end as state, count(*)::float8 as count
    from imports group by 1`;

interface ImportedRowCounts {
  kind: ImportKind;
  applied: number;
  refused: number;
  waiting: number;
}

/** Rows of all imports. A cancelled one has no waiting rows. */
export const countImportedRows = (db: Queryable): Promise<ImportedRowCounts[]> =>
  all(db)`
    select kind, sum(rows_applied)::float8 as applied, sum(rows_refused)::float8 as refused,
      coalesce(sum(rows_received - rows_applied - rows_refused) filter (where state <> 'cancelled'),
        0)::float8 as waiting
    from imports group by kind`;
