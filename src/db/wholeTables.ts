import type { PoolClient, Queryable } from './pool.ts';
import { readInBatches } from './readInBatches.ts';
import { all, column, execute, value } from './rows.ts';
import { raw } from './sql.ts';

/** Reads and writes whole tables, each row as the text that PostgreSQL gives and takes for it. */

/** Bounds memory: rows of some tables take some hundred kilobytes. */
const ROWS_PER_BATCH = 200;

/**
 * Names of all tables, referenced ones before those that refer to them. Partitions count as their table. The
 * table of migrations is written by these, not by a copy.
 */
export const listTables = (client: PoolClient): Promise<string[]> =>
  column(client)`
    select quote_ident(relname) from pg_class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition
      and relname <> 'migrations'
    order by (select count(*) from pg_constraint where contype = 'f' and conrelid = pg_class.oid), relname`;

export const listMigrations = (db: Queryable): Promise<string[]> =>
  column(db)`select name from migrations order by name`;

/** Number of rows of all tables, as PostgreSQL estimates it. */
export const estimateRows = (client: PoolClient): Promise<number> =>
  value(client)`
    select coalesce(sum(greatest(reltuples, 0)), 0)::float8 from pg_class
    where relnamespace = current_schema()::regnamespace and relkind = 'r'`;

/** All rows of a table, in a transaction. */
export async function* readRows(client: PoolClient, table: string): AsyncGenerator<string[]> {
  const query = `select row::text as text from ${table} as row`;
  for await (const batch of readInBatches<{ text: string }>(client, query, [], ROWS_PER_BATCH))
    yield batch.map(({ text }) => text);
}

/** Adds rows that `readRows` has read from a table with the same columns. */
export async function writeRows(client: PoolClient, table: string, rows: readonly string[]): Promise<void> {
  await execute(client)`
    insert into ${raw(table)} overriding system value select * from unnest(${rows}::text[]::${raw(table)}[])`;
}

/**
 * Empties all tables, and runs `fill` without the triggers that maintain some tables from others, in a
 * transaction.
 */
export async function replaceRows(client: PoolClient, fill: () => Promise<void>): Promise<void> {
  const tables = await listTables(client);
  await execute(client)`truncate ${raw(tables.join(', '))}`;
  for (const table of tables) await execute(client)`alter table ${raw(table)} disable trigger user`;
  await fill();
  for (const table of tables) await execute(client)`alter table ${raw(table)} enable trigger user`;
}

/** The last number that each sequence has given; null if it has given none. */
export async function readSequences(client: PoolClient): Promise<Record<string, string | null>> {
  const rows = await all(client)<{ name: string; last: string | null }>`
    select quote_ident(sequencename) as name, last_value::text as last from pg_sequences
    where schemaname = current_schema()`;
  return Object.fromEntries(rows.map(({ name, last }) => [name, last]));
}

/** Lets sequences go on after these numbers. None goes back: processes may remember its last number. */
export async function writeSequences(
  client: PoolClient,
  sequences: Readonly<Record<string, string | null>>,
): Promise<void> {
  for (const [name, last] of Object.entries(sequences))
    if (last !== null)
      await execute(client)`select setval(${name}::text::regclass,
        greatest(${last}::int8, pg_sequence_last_value(${name}::text::regclass)))`;
}
