import type { QueryResultRow } from 'pg';
import type { PoolClient } from './pool.ts';
import { DATE, INSTANT } from './sql.ts';

/** One array literal holds the values of a column. */
interface ColumnType {
  array: string;
  /** Whether values are quoted. */
  isText: boolean;
  /** The value of the column from the element of the array; without it, the element. */
  convert?(element: string): string;
}

const COLUMN_TYPES = {
  int2: { array: 'int2', isText: false },
  int4: { array: 'int4', isText: false },
  int8: { array: 'int8', isText: false },
  float8: { array: 'float8', isText: false },
  bool: { array: 'bool', isText: false },
  uuid: { array: 'uuid', isText: false },
  text: { array: 'text', isText: true },
  jsonb: { array: 'jsonb', isText: true },
  /** timestamptz; rows hold milliseconds since 1970. */
  instant: { array: 'float8', isText: false, convert: INSTANT },
  /** date; rows hold day ordinals. */
  day: { array: 'int4', isText: false, convert: DATE },
  /** bytea; rows hold hexadecimal digits. */
  bytes: { array: 'text', isText: true, convert: (element) => `decode(${element}, 'hex')` },
  /** int4[]; rows hold the literal of an array. */
  int4s: { array: 'text', isText: true, convert: (element) => `${element}::int4[]` },
} as const satisfies Record<string, ColumnType>;

type Value = number | string | boolean | null;

/**
 * Type and value of each column, in the order of the parameters.
 * @typeParam C what reading a row needs besides the row
 */
export type Columns<T, C = void> = Record<
  string,
  [type: keyof typeof COLUMN_TYPES, read: (row: T, context: C) => Value]
>;

/** Parts of the text of a statement. */
interface BulkParts {
  /** The column names. */
  names: string;
  /** The values of the columns, from `rows`. */
  values: string;
  /** The given rows, under the name `row`: what the arrays hold. */
  rows: string;
  /** `insert into <table> (<names>) select <values> from <rows>` */
  insertInto(table: string): string;
}

/** A statement for many rows, with one array parameter for each column. */
export interface BulkStatement<T, C> {
  text: string;
  /** Clause that makes the statement accept existing rows; without it, they are an error. */
  again: string;
  /** Makes one array literal for each parameter. */
  parametersOf(rows: readonly T[], context: C): string[];
}

/** @param text makes the text of the statement; called once */
export function bulkStatement<T, C = void>(
  columns: Columns<T, C>,
  text: (parts: BulkParts) => string,
  again = '',
): BulkStatement<T, C> {
  const named = Object.entries(columns);
  const typeOf = (type: keyof typeof COLUMN_TYPES): ColumnType => COLUMN_TYPES[type];
  const names = named.map(([name]) => name).join(', ');
  const values = named
    .map(([name, [type]]) => typeOf(type).convert?.(`row.${name}`) ?? `row.${name}`)
    .join(', ');
  const arrays = named.map(([, [type]], i) => `$${i + 1}::${typeOf(type).array}[]`).join(', ');
  const rows = `unnest(${arrays}) as row (${names})`;
  const insertInto = (table: string): string =>
    `insert into ${table} (${names}) select ${values} from ${rows}`;
  const literals = named.map(([, [type, read]]) => (typeOf(type).isText ? texts(read) : numbers(read)));
  return {
    text: text({ names, values, rows, insertInto }),
    again,
    parametersOf: (given, context) => literals.map((literalOf) => literalOf(given, context)),
  };
}

type Read<T, C> = (row: T, context: C) => Value;

/** Makes the literal of an array of values that need no quotes, one for each row. */
export const numbers =
  <T, C = void>(read: Read<T, C>) =>
  (rows: readonly T[], context: C): string =>
    `{${rows.map((row) => read(row, context) ?? 'NULL').join(',')}}`;

/** The same for values that are quoted. */
export const texts =
  <T, C = void>(read: Read<T, C>) =>
  (rows: readonly T[], context: C): string =>
    `{${rows.map((row) => quote(read(row, context))).join(',')}}`;

function quote(value: Value): string {
  if (value === null) return 'NULL';
  const text = String(value);
  const isPlain = !text.includes('"') && !text.includes('\\');
  return isPlain ? `"${text}"` : `"${text.replace(/["\\]/g, '\\$&')}"`;
}

/**
 * @param isRepeat whether some rows may exist already
 * @returns the rows that the statement returns
 */
export async function insert<T, R extends QueryResultRow = never>(
  client: PoolClient,
  what: string,
  statement: BulkStatement<T, void>,
  rows: readonly T[],
  isRepeat: boolean,
): Promise<R[]> {
  return insertWith<T, void, R>(client, what, statement, rows, undefined, isRepeat);
}

/** The same for a statement that needs more than the rows. */
export async function insertWith<T, C, R extends QueryResultRow = never>(
  client: PoolClient,
  what: string,
  { text, again, parametersOf }: BulkStatement<T, C>,
  rows: readonly T[],
  context: C,
  isRepeat: boolean,
): Promise<R[]> {
  const name = `${isRepeat ? 'repeat' : 'write'} ${what}`;
  return run(
    client,
    name,
    isRepeat ? `${text} ${again}` : text,
    rows.length === 0 ? [] : parametersOf(rows, context),
  );
}

/** Runs a statement that reads or deletes by the rows. */
export function runBulk<T, R extends QueryResultRow = never>(
  client: PoolClient,
  name: string,
  { text, parametersOf }: BulkStatement<T, void>,
  rows: readonly T[],
): Promise<R[]> {
  return run(client, name, text, rows.length === 0 ? [] : parametersOf(rows));
}

/**
 * A named statement stays prepared on its connection. Without parameters there are no rows, and nothing to
 * do.
 */
async function run<R extends QueryResultRow>(
  client: PoolClient,
  name: string,
  text: string,
  values: string[],
): Promise<R[]> {
  return values.length === 0 ? [] : (await client.query<R>({ name, text, values })).rows;
}
