import type { Leaderboard } from '../rules/config.ts';

/** SQL between its parts, which are fragments of SQL or values of parameters. */
export class Sql {
  readonly #texts: readonly string[];
  readonly #parts: readonly unknown[];

  constructor(texts: readonly string[], parts: readonly unknown[]) {
    this.#texts = texts;
    this.#parts = parts;
  }

  get values(): unknown[] {
    return this.#parts.flatMap((part) => (part instanceof Sql ? part.values : [part]));
  }

  /** With $1, $2, … for the values. */
  get text(): string {
    let count = 0;
    const write = (sql: Sql): string =>
      sql.#texts.reduce((text, next, i) => {
        const part = sql.#parts[i - 1];
        return `${text}${part instanceof Sql ? write(part) : `$${++count}`}${next}`;
      });
    return write(this);
  }

  toString(): string {
    return this.text;
  }
}

/** ``sql`no = ${no}` `` has the value `no`, which is never taken for SQL. */
export const sql = (texts: readonly string[], ...parts: unknown[]): Sql => new Sql(texts, parts);

/** A fragment without parameters. */
export const raw = (text: string | number): Sql => new Sql([String(text)], []);

/** A text is SQL. */
export const fragment = (given: string | Sql): Sql => (typeof given === 'string' ? raw(given) : given);

type NumberOrSql = number | null | undefined | Sql;

/** Milliseconds since 1970 as a timestamptz. */
export const INSTANT = (ms: NumberOrSql): Sql => sql`to_timestamp(${ms}::float8 / 1000)`;
/** A timestamptz as milliseconds since 1970, the inverse of INSTANT. */
export const MILLISECONDS = (instant: string | Sql): Sql =>
  sql`round(extract(epoch from ${fragment(instant)}) * 1000)::float8`;

/** When an event of recorded_events was recorded, also a late one. */
export const ARRIVED_AT = raw('coalesce(arrived_at, recorded_at)');

/** A day ordinal as a date. */
export const DATE = (ordinal: NumberOrSql): Sql => sql`(date '1970-01-01' + ${ordinal}::integer)`;
/** A date as a day ordinal, the inverse of DATE. */
export const ORDINAL = (date: string | Sql): Sql => sql`(${fragment(date)} - date '1970-01-01')`;

/**
 * The value of several events that a leaderboard ranks (src/rules/rankingOrder.ts).
 * @param order the latest event first
 */
export const RANKED_VALUE = (
  { sortOrder, aggregation }: Pick<Leaderboard, 'sortOrder' | 'aggregation'>,
  value: string,
  order: string,
): Sql =>
  aggregation === 'latest'
    ? raw(`(array_agg(${value} order by ${order}))[1]`)
    : raw(`${sortOrder === 'asc' ? 'min' : 'max'}(${value})`);

/** The exact sum of decimals. PostgreSQL converts a float8 to numeric with 15 digits. */
export const DECIMAL_SUM = (value: string, filter: string | Sql = ''): Sql =>
  sql`(sum((${raw(value)})::numeric) ${fragment(filter)})::float8`;
export const DECIMAL_PLUS = (a: string, b: string): Sql => raw(`((${a})::numeric + (${b})::numeric)::float8`);
