import type { QueryResultRow } from 'pg';
import type { PoolClient } from './pool.ts';

/** A statement that inserts many rows from one array a column. */
export interface BulkInsert<T> {
  text: string;
  /** What makes it accept rows that are there already; `text` without it fails on them. */
  again?: string;
  /** One array literal a parameter. */
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
  return `"${/["\\]/.test(text) ? text.replace(/["\\]/g, '\\$&') : text}"`;
}

export const INSTANT = (column: string): string => `to_timestamp(${column} / 1000)`;
/** Of an instant; what INSTANT made of it before. */
export const MILLISECONDS = (column: string): string => `round(extract(epoch from ${column}) * 1000)::float8`;
export const DATE = (column: string): string => `date '1970-01-01' + ${column}`;

/**
 * @param isRepeat rows may be there already
 * @returns what the statement returns
 */
export async function insert<T, R extends QueryResultRow = never>(
  client: PoolClient,
  what: string,
  { text, again = '', columns }: BulkInsert<T>,
  rows: T[],
  isRepeat: boolean,
): Promise<R[]> {
  if (rows.length === 0) return [];
  // Named: the connection keeps it prepared.
  const result = await client.query<R>({
    name: `${isRepeat ? 'repeat' : 'write'} ${what}`,
    text: isRepeat ? `${text} ${again}` : text,
    values: columns.map((column) => column(rows)),
  });
  return result.rows;
}
