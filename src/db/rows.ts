import type { QueryConfig, QueryResult, QueryResultRow } from 'pg';
import { sql } from './sql.ts';

/** Runs statements: a pool, a connection, or what guards one of them. */
export interface Rows {
  query<T extends QueryResultRow>(statement: QueryConfig): Promise<QueryResult<T>>;
}

const names = new Map<string, string>();

/** Statements that run often: each connection keeps them prepared, under a name for each text. */
export const prepared = (db: Rows): Rows => ({
  query: ({ text, values }) => {
    const name = names.get(text) ?? `laurel ${names.size}`;
    names.set(text, name);
    return db.query({ name, text, values });
  },
});

type Template = Parameters<typeof sql>;

/** All rows of a statement: ``all(db)`select … where no = ${no}` ``. */
export const all =
  (db: Rows) =>
  async <T extends QueryResultRow>(...template: Template): Promise<T[]> => {
    const { text, values } = sql(...template);
    return (await db.query<T>({ text, values })).rows;
  };

/** The first row of a statement; null without one. */
export const first =
  (db: Rows) =>
  async <T extends QueryResultRow>(...template: Template): Promise<T | null> =>
    (await all(db)<T>(...template))[0] ?? null;

/** The only column of a statement. */
export const column =
  (db: Rows) =>
  async <T>(...template: Template): Promise<T[]> =>
    (await all(db)<Record<string, T>>(...template)).map((row) => Object.values(row)[0]!);

/** The only column of the first row; null without a row. */
export const value =
  (db: Rows) =>
  async <T>(...template: Template): Promise<T> =>
    (await column(db)<T>(...template))[0] ?? (null as T);

/** Whether a statement returns or changes a row. */
export const some =
  (db: Rows) =>
  async (...template: Template): Promise<boolean> =>
    (await execute(db)(...template)) > 0;

/** The number of rows that a statement returns or changes. */
export const execute =
  (db: Rows) =>
  async (...template: Template): Promise<number> => {
    const { text, values } = sql(...template);
    return (await db.query({ text, values })).rowCount ?? 0;
  };
