import type { QueryResultRow } from 'pg';
import type { PoolClient } from './pool.ts';
import { prepared } from './rows.ts';
import { DATE, INSTANT, raw, type Sql } from './sql.ts';

/** One array literal holds the values of a column. */
interface ColumnType {
  array: string;
  /** Whether values are quoted. */
  isText: boolean;
  /** The value of the column from the element of the array; without it, the element. */
  convert?(element: string): string | Sql;
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
  instant: { array: 'float8', isText: false, convert: (element) => INSTANT(raw(element)) },
  /** date; rows hold day ordinals. */
  day: { array: 'int4', isText: false, convert: (element) => DATE(raw(element)) },
  /** bytea; rows hold hexadecimal digits. */
  bytes: { array: 'text', isText: true, convert: (element) => `decode(${element}, 'hex')` },
  /** int4[]; rows hold the literal of an array. */
  int4s: { array: 'text', isText: true, convert: (element) => `${element}::int4[]` },
} as const satisfies Record<string, ColumnType>;

type TypeName = keyof typeof COLUMN_TYPES;

/**
 * The columns that hold fields of a row: the type, and the name unless it is that of the field in snake case.
 */
export type Columns<T> = { [F in keyof T]?: TypeName | [TypeName, name: string] };

/** Columns that hold something else. */
type Computed<T, C> = Record<string, [TypeName, read: (row: T, context: C) => unknown]>;

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

const snakeCase = (field: string): string => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/**
 * A statement for many rows, with one array parameter for each column.
 * @typeParam R what it returns
 * @typeParam C what computed columns need besides the row
 */
export class BulkStatement<T, R extends QueryResultRow = never, C = void> {
  readonly #text: string;
  readonly #repeated: string;
  readonly #literals: ((rows: readonly T[], context: C) => string)[];

  /**
   * @param text makes the text of the statement
   * @param options.again clause that makes the statement accept existing rows; without it, they are an error
   */
  constructor(
    columns: Columns<T>,
    text: (parts: BulkParts) => string,
    { again = '', computed = {} }: { again?: string; computed?: Computed<T, C> } = {},
  ) {
    const given = Object.entries<TypeName | [TypeName, string] | undefined>(columns).map(
      ([field, column]) => {
        const [type, name] = typeof column === 'string' ? [column, snakeCase(field)] : column!;
        return { type, name, read: (row: T): unknown => row[field as keyof T] };
      },
    );
    const others = Object.entries(computed).map(([name, [type, read]]) => ({ type, name, read }));
    const all = [...given, ...others].map(({ type, ...column }) => ({
      ...column,
      type: COLUMN_TYPES[type] as ColumnType,
    }));
    const names = all.map(({ name }) => name).join(', ');
    const values = all.map(({ name, type }) => type.convert?.(`row.${name}`) ?? `row.${name}`).join(', ');
    const rows = `unnest(${all.map(({ type }, i) => `$${i + 1}::${type.array}[]`).join(', ')}) as row (${names})`;
    const insertInto = (table: string): string =>
      `insert into ${table} (${names}) select ${values} from ${rows}`;
    this.#text = text({ names, values, rows, insertInto });
    this.#repeated = `${this.#text} ${again}`;
    this.#literals = all.map(({ type, read }) => (type.isText ? texts(read) : numbers(read)));
  }

  /**
   * @param isRepeat whether some rows may exist already
   * @returns the rows that the statement returns; none without rows
   */
  async run(client: PoolClient, rows: readonly T[], isRepeat: boolean, context: C): Promise<R[]> {
    if (rows.length === 0) return [];
    const values = this.#literals.map((literalOf) => literalOf(rows, context));
    return (await prepared(client).query<R>({ text: isRepeat ? this.#repeated : this.#text, values })).rows;
  }
}

type Read<T, C> = (row: T, context: C) => unknown;

/** Makes the literal of an array of values that need no quotes, one for each row. */
const numbers =
  <T, C>(read: Read<T, C>) =>
  (rows: readonly T[], context: C): string =>
    `{${rows.map((row) => read(row, context) ?? 'NULL').join(',')}}`;

/** The same for values that are quoted. */
const texts =
  <T, C>(read: Read<T, C>) =>
  (rows: readonly T[], context: C): string =>
    `{${rows.map((row) => quote(read(row, context))).join(',')}}`;

function quote(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  const text = String(value);
  const isPlain = !text.includes('"') && !text.includes('\\');
  return isPlain ? `"${text}"` : `"${text.replace(/["\\]/g, '\\$&')}"`;
}
