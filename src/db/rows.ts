import type { QueryResultRow } from 'pg';
import type { Pool } from './pool.ts';

/** A statement that a connection keeps prepared under its name. */
export interface Statement {
  name: string;
  text: string;
}

/** Runs a prepared statement. The shape of its rows is defined in the file of the statement. */
export type Rows = <T extends QueryResultRow>(statement: Statement, values: unknown[]) => Promise<T[]>;

export function rowsOf(pool: Pool): Rows {
  return async (statement, values) => (await pool.query({ ...statement, values })).rows;
}
