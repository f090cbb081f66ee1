import type { QueryResultRow } from 'pg';
import type { PoolClient } from './pool.ts';

/** A statement that inserts many rows, with one array parameter for each column. */
export interface BulkInsert<T> {
  text: string;
  /** Clause that makes the statement accept existing rows; without it, they are an error. */
  again?: string;
  /** One array literal for each parameter. */
  columns: ((rows: T[]) => string)[];
}

export const numbers =
  <T>(get: (row: T) => number | string | null) =>
  (rows: T[]): string =>
    `{${rows.map((row) => get(row) ?? 'NULL').join(',')}}`;

export const texts =
  <T>(get: (row: T) => string | null) =>
  (rows: T[]): string =>
    `{${rows.map((row) => quote(get(row))).join(',')}}`;

function quote(text: string | null): string {
  if (text === null) return 'NULL';
  const isPlain = !text.includes('"') && !text.includes('\\');
  return isPlain ? `"${text}"` : `"${text.replace(/["\\]/g, '\\$&')}"`;
}

export const INSTANT = (column: string): string => `to_timestamp(${column} / 1000)`;
/** SQL for a timestamptz as milliseconds since 1970, the inverse of INSTANT. */
export const MILLISECONDS = (column: string): string => `round(extract(epoch from ${column}) * 1000)::float8`;
export const DATE = (column: string): string => `date '1970-01-01' + ${column}`;

/**
 * @param isRepeat whether some rows may exist already
 * @returns the rows that the statement returns
 */
export async function insert<T, R extends QueryResultRow = never>(
  client: PoolClient,
  what: string,
  { text, again = '', columns }: BulkInsert<T>,
  rows: T[],
  isRepeat: boolean,
): Promise<R[]> {
  if (rows.length === 0) return [];
  // A named statement stays prepared on its connection.
  const result = await client.query<R>({
    name: `${isRepeat ? 'repeat' : 'write'} ${what}`,
    text: isRepeat ? `${text} ${again}` : text,
    values: columns.map((column) => column(rows)),
  });
  return result.rows;
}
