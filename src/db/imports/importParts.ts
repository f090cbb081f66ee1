import { IMPORT_PARTS, IMPORT_STEP_ROWS } from '../../base/importLimits.ts';
import { readRow, rowOf } from '../../rules/importedRows.ts';
import type { PoolClient, Queryable } from '../pool.ts';
import type { ImportRecord } from './importRows.ts';

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
  await client.query(
    `update imports set chunks = chunks + 1, rows_received = rows_received + $2,
       state = case when $3 then 'running' else state end, started_at = case when $3 then $4::timestamptz else started_at end
     where id = $1`,
    [id, received, isLast, new Date(now)],
  );
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
  await client.query(
    `insert into import_parts (import, part, chunk, lines)
     select $1, part, $2, lines from unnest($3::smallint[], string_to_array($4, E'\\n\\n')) as given (part, lines)`,
    [id, chunk, [...parts.keys()], [...parts.values()].join('\n\n')],
  );
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
  const { rows } = await db.query<{ from: number; lines: string }>(
    `with first as (select min(part) as part from import_parts where import = $1 and part >= $3)
     select first.part as from, lines from import_parts as parts, first
     where import = $1 and parts.part >= first.part and parts.part < first.part + $2 order by parts.part, chunk`,
    [id, partsAtOnce(received), first],
  );
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
  const { rows } = await client.query<{ part: number; chunk: number; lines: string }>(
    `delete from import_parts where import = $1 and part >= $2 and part < $3
     returning part, chunk, lines`,
    [id, from, till],
  );
  if (rows.length === 0) return false;
  let applied = 0;
  for (const { part, chunk, lines } of rows) {
    const all = lines.split('\n').filter((line) => line !== '');
    const kept = left.size === 0 ? [] : all.filter((line) => left.has(readRow(kind, rowOf(line)).userId));
    if (kept.length > 0) await insertParts(client, id, chunk, new Map([[part, kept.join('\n')]]));
    applied += all.length - kept.length;
  }
  await client.query('update imports set rows_applied = rows_applied + $2 where id = $1', [
    id,
    applied - refused,
  ]);
  return true;
}
