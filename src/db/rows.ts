import type { QueryResultRow } from 'pg';

/** A statement that a connection keeps prepared under its name. */
export interface Statement {
  name: string;
  text: string;
}

/** Runs a prepared statement; rows have the shape that the statement's file says. */
export type Rows = <T extends QueryResultRow>(statement: Statement, values: unknown[]) => Promise<T[]>;
