import { IMPORT_PARTS } from '../../base/importLimits.ts';
import type { PoolClient } from '../pool.ts';

/** Parts of an import by a hash of the user's id, which become parts by range of ids. */

/** Locks an import until the end of the transaction. @returns the first ids of its ranges; null before */
export async function lockRanges(client: PoolClient, id: string): Promise<string[] | null> {
  const { rows } = await client.query<{ ranges: string[] | null }>(
    'select ranges from imports where id = $1 for update',
    [id],
  );
  return rows[0]?.ranges ?? null;
}

export async function setRanges(client: PoolClient, id: string, ranges: readonly string[]): Promise<void> {
  await client.query('update imports set ranges = $2 where id = $1', [id, ranges]);
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
  const { rows } = await client.query<{ part: number; lines: string }>(
    `with first as (select min(part) as part from import_parts where import = $1 and part < $2), taken as (
       delete from import_parts as parts using first
       where import = $1 and parts.part >= first.part and parts.part < least(first.part + $3, $2)
       returning parts.part, chunk, lines)
     select part, lines from taken order by part, chunk`,
    [id, IMPORT_PARTS, count],
  );
  if (rows.length === 0) return null;
  return { first: rows[0]!.part, lines: rows.flatMap(({ lines }) => lines.split('\n')) };
}
