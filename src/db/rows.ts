import type { QueryResultRow } from 'pg';

/** A statement that a connection keeps prepared under its name. */
export interface Statement {
  name: string;
  text: string;
}

/** The exact sum of decimals. PostgreSQL converts a float8 to numeric with 15 digits. */
export const DECIMAL_SUM = (value: string, filter = ''): string => `(sum((${value})::numeric) ${filter})::float8`;
export const DECIMAL_PLUS = (a: string, b: string): string => `((${a})::numeric + (${b})::numeric)::float8`;

/** Runs a prepared statement. The shape of its rows is defined in the file of the statement. */
export type Rows = <T extends QueryResultRow>(statement: Statement, values: unknown[]) => Promise<T[]>;
