import { IMPORT_PARTS, IMPORT_PLAYED_ROWS_MAX } from '../../base/importLimits.ts';
import { readRow, rowOf } from '../../rules/importedRows.ts';
import type { PoolClient, Queryable } from '../pool.ts';
import { all, execute, value } from '../rows.ts';
import type { ImportRecord } from './importRows.ts';

/** Rows that a worker applies in one step, at most, unless one part has more. */
const IMPORT_STEP_ROWS = 4_000;
if (IMPORT_PLAYED_ROWS_MAX > IMPORT_STEP_ROWS)
  throw new Error(
    'An import that is applied day by day must be one step: days are only in order within a step',
  );

/** The rows of an import that were received and not yet applied, in parts (src/rules/importedRows.ts). */

/** Stores the next chunk, in a transaction that has locked the import. */
export async function storeChunk(
  client: PoolClient,
  id: string,
  {
    chunk,
    parts,
    received,
    isLast,
  }: {
    chunk: number;
    /** Lines by part. */
    parts: ReadonlyMap<number, string>;
    received: number;
    isLast: boolean;
  },
  now: number,
): Promise<void> {
  await insertParts(client, id, chunk, parts);
  await execute(client)`
    update imports set chunks = chunks + 1, rows_received = rows_received + ${received},
      state = case when ${isLast} then 'running' else state end,
      started_at = case when ${isLast} then ${new Date(now)}::timestamptz else started_at end
    where id = ${id}`;
}

/**
 * Stores lines by part. They are one text, because PostgreSQL needs several times as long to read an array of
 * texts. No line is empty, so an empty one separates two parts.
 * @param chunk tells these rows from others of the same parts
 */
export async function insertParts(
  client: PoolClient,
  id: string,
  chunk: number,
  parts: ReadonlyMap<number, string>,
): Promise<void> {
  await execute(client)`
    insert into import_parts (import, part, chunk, lines)
    select ${id}, part, ${chunk}, lines from unnest(
      ${[...parts.keys()]}::smallint[], string_to_array(${[...parts.values()].join('\n\n')}, E'\\n\\n')
    ) as given (part, lines)`;
}

/** Parts of an import, from one up to and without another one. */
export interface PartRange {
  from: number;
  till: number;
}

/**
 * The next parts that are left from `first` on, with the lines of each in the order of its chunks; null
 * without any.
 */
export async function readNextParts(
  db: Queryable,
  { id, received }: Pick<ImportRecord, 'id' | 'received'>,
  first: number,
): Promise<(PartRange & { lines: string[] }) | null> {
  const rows = await all(db)<{ from: number; lines: string }>`
    with first as (select min(part) as part from import_parts where import = ${id} and part >= ${first})
    select first.part as from, lines from import_parts as parts, first
    where import = ${id} and parts.part >= first.part and parts.part < first.part + ${partsAtOnce(received)}
    order by parts.part, chunk`;
  if (rows.length === 0) return null;
  const { from } = rows[0]!;
  return { from, till: from + partsAtOnce(received), lines: rows.flatMap(({ lines }) => lines.split('\n')) };
}

/** A step costs some round trips, so small parts are applied together. */
const partsAtOnce = (received: number): number =>
  Math.max(1, Math.floor(IMPORT_PARTS * Math.min(1, IMPORT_STEP_ROWS / Math.max(1, received))));

/**
 * Records that parts are applied, in the transaction that keeps their refused rows.
 * @param left users whose rows are not applied yet, and stay @param refused number of refused rows
 * @returns false if another worker has recorded it
 */
export async function finishParts(
  client: PoolClient,
  { id, kind }: Pick<ImportRecord, 'id' | 'kind'>,
  { from, till }: PartRange,
  left: ReadonlySet<string>,
  refused: number,
): Promise<boolean> {
  const rows = await all(client)<{ part: number; chunk: number; lines: string }>`
    delete from import_parts where import = ${id} and part >= ${from} and part < ${till}
    returning part, chunk, lines`;
  if (rows.length === 0) return false;
  let applied = 0;
  for (const { part, chunk, lines } of rows) {
    const given = lines.split('\n').filter((line) => line !== '');
    const kept = left.size === 0 ? [] : given.filter((line) => left.has(readRow(kind, rowOf(line)).userId));
    if (kept.length > 0) await insertParts(client, id, chunk, new Map([[part, kept.join('\n')]]));
    applied += given.length - kept.length;
  }
  await execute(client)`
    update imports set rows_applied = rows_applied + ${applied - refused} where id = ${id}`;
  return true;
}

/* Parts by a hash of the user's id, which become parts by range of ids. */

/** Locks an import until the end of the transaction. @returns the first ids of its ranges; null before */
export const lockRanges = (client: PoolClient, id: string): Promise<string[] | null> =>
  value(client)`select ranges from imports where id = ${id} for update`;

export async function setRanges(client: PoolClient, id: string, ranges: readonly string[]): Promise<void> {
  await execute(client)`update imports set ranges = ${ranges} where id = ${id}`;
}

/**
 * Takes the rows of the next parts that are not sorted, in the order of parts and chunks.
 * @param count of parts
 * @returns null if none is left
 */
export async function takeUnsorted(
  client: PoolClient,
  id: string,
  count: number,
): Promise<{ first: number; lines: string[] } | null> {
  const rows = await all(client)<{ part: number; lines: string }>`
    with first as (
      select min(part) as part from import_parts where import = ${id} and part < ${IMPORT_PARTS}
    ), taken as (
      delete from import_parts as parts using first
      where import = ${id} and parts.part >= first.part
        and parts.part < least(first.part + ${count}, ${IMPORT_PARTS})
      returning parts.part, chunk, lines)
    select part, lines from taken order by part, chunk`;
  if (rows.length === 0) return null;
  return { first: rows[0]!.part, lines: rows.flatMap(({ lines }) => lines.split('\n')) };
}
