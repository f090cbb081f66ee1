import type { Leaderboard } from '../rules/config.ts';

/** Fragments of SQL that several statements share. */

/** Milliseconds since 1970 as a timestamptz. */
export const INSTANT = (ms: string): string => `to_timestamp(${ms} / 1000)`;
/** A timestamptz as milliseconds since 1970, the inverse of INSTANT. */
export const MILLISECONDS = (instant: string): string =>
  `round(extract(epoch from ${instant}) * 1000)::float8`;

/** When an event of recorded_events was recorded, also a late one. */
export const ARRIVED_AT = 'coalesce(arrived_at, recorded_at)';

/** A day ordinal as a date. */
export const DATE = (ordinal: string): string => `(date '1970-01-01' + ${ordinal}::integer)`;
/** A date as a day ordinal, the inverse of DATE. */
export const ORDINAL = (date: string): string => `(${date} - date '1970-01-01')`;

/**
 * The value of several events that a leaderboard ranks (src/rules/rankingOrder.ts).
 * @param order the latest event first
 */
export const RANKED_VALUE = (
  { sortOrder, aggregation }: Pick<Leaderboard, 'sortOrder' | 'aggregation'>,
  value: string,
  order: string,
): string => {
  if (aggregation === 'latest') return `(array_agg(${value} order by ${order}))[1]`;
  return `${sortOrder === 'asc' ? 'min' : 'max'}(${value})`;
};

/** The exact sum of decimals. PostgreSQL converts a float8 to numeric with 15 digits. */
export const DECIMAL_SUM = (value: string, filter = ''): string =>
  `(sum((${value})::numeric) ${filter})::float8`;
export const DECIMAL_PLUS = (a: string, b: string): string => `((${a})::numeric + (${b})::numeric)::float8`;
