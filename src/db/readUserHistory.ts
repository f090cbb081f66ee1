import type { Frequency } from '../rules/config.ts';
import type { Rows, Statement } from './history.ts';

/** Reads of one user's history. Days, weeks and months are ordinals since 1970, whatever is configured is named by its number. */
export interface UserKey {
  tenant: number;
  userId: string;
}

/** A date as a day ordinal, and back. */
const ORDINAL = (date: string): string => `(${date} - date '1970-01-01')`;
const DATE = (ordinal: string): string => `(date '1970-01-01' + ${ordinal}::integer)`;

export interface AwardRow {
  id: string;
  trigger: number;
  awarded: number;
  /** After the award. */
  total: number;
  date: Date;
  boosts: number[] | null;
}

const AWARDS: Statement = {
  name: 'awards',
  text: `select id, trigger, awarded, total, recorded_at as date, boosts from points_awards
    where tenant = $1 and user_id = $2 and system = $3
    order by recorded_at desc, sequence desc, n desc limit $4`,
};

/** Newest first. */
export function readAwards(
  rows: Rows,
  { tenant, userId }: UserKey,
  system: number,
  count: number,
): Promise<AwardRow[]> {
  return rows<AwardRow>(AWARDS, [tenant, userId, system, count]);
}

export interface DayRow {
  /** The day before the range stands for all that was before. */
  day: number;
  change: number;
}

const daily = (name: string, view: string, numberColumn: string): Statement => ({
  name,
  text: `select ${ORDINAL(`greatest(local_date, ${DATE('$4')} - 1)`)} as day, sum(change) as change from ${view}
    where tenant = $1 and user_id = $2 and ${numberColumn} = $3 and local_date <= ${DATE('$5')}
    group by 1 order by 1`,
});

/** What days are summed up of: a metric's values or a points system's awards. */
const DAILY = {
  metric: daily('daily metric', 'metric_totals_daily', 'metric_no'),
  points: daily('daily points', 'points_totals_daily', 'system_no'),
};
export type Summed = keyof typeof DAILY;

/** The days on which something changed, in order, of a range of local days; and the sum of all before it, if there is any. */
export function readDays(
  rows: Rows,
  { tenant, userId }: UserKey,
  summed: Summed,
  no: number,
  range: { from: number; to: number },
): Promise<DayRow[]> {
  return rows<DayRow>(DAILY[summed], [tenant, userId, no, range.from, range.to]);
}

export interface ExtensionRow {
  period: number;
  /** After the extension. */
  length: number;
}

const EXTENSIONS: Statement = {
  name: 'streak extensions',
  text: `select period, length from streak_extensions
    where tenant = $1 and user_id = $2 and frequency = $3 and period between $4 and $5`,
};

/** The periods from `first` to `last` in which the streak grew. */
export function readExtensions(
  rows: Rows,
  { tenant, userId }: UserKey,
  frequency: Frequency,
  first: number,
  last: number,
): Promise<ExtensionRow[]> {
  return rows<ExtensionRow>(EXTENSIONS, [tenant, userId, frequency, first, last]);
}
