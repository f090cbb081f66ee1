import type { Span } from '../rules/activity.ts';
import { DATE } from './bulkInsert.ts';
import type { Figure } from './figures.ts';
import { ORDINAL } from './readUserHistory.ts';
import { DECIMAL_SUM, type Rows, type Statement } from './rows.ts';

/** Reads of the roll-ups. Days are ordinals since 1970, in the tenant's time zone. */

export type Interval = 'day' | 'week' | 'month';

export interface PeriodFigure {
  figure: Figure;
  /** First day of the period. */
  start: number;
  no: number;
  detail: string;
  count: number;
  sum: number;
}

/** By what sums are grouped besides the number of the entity; a column that is not grouped by is 0 or empty. */
type Grouping = 'period' | 'detail' | 'both';

const figuresBy = (grouping: Grouping): Statement => ({
  name: `figures by ${grouping}`,
  text: `select figure, ${grouping === 'detail' ? '0' : ORDINAL('date_trunc($5, day::timestamp)::date')} as start, no,
      ${grouping === 'period' ? "''" : 'detail'} as detail, sum(count)::float8 as count, ${DECIMAL_SUM('sum')} as sum
    from daily_figures
    where tenant = $1 and figure = any($2) and day between ${DATE('$3::integer')} and ${DATE('$4::integer')}
      and $5::text is not null and ($6::integer is null or no = $6)
    group by 1, 2, 3, 4 having sum(count) <> 0
    order by 2, 3, 4`,
});
const FIGURES = { period: figuresBy('period'), detail: figuresBy('detail'), both: figuresBy('both') };

/** Sums of figures in a range of days. @param no number of one entity; null for all */
export function readFigures(
  rows: Rows,
  tenant: number,
  figures: Figure[],
  { from, to, interval }: Span & { interval: Interval },
  grouping: Grouping,
  no: number | null = null,
): Promise<PeriodFigure[]> {
  return rows<PeriodFigure>(FIGURES[grouping], [tenant, figures, from, to, interval, no]);
}

const CHANGES: Statement = {
  name: 'figures as changes',
  text: `select ${ORDINAL(`greatest(day, ${DATE('$3::integer')})`)} as day, sum(count)::float8 as count from daily_figures
    where tenant = $1 and figure = $2 and day <= ${DATE('$4::integer')} group by 1 order by 1`,
};

/** Values of a figure that is stored as daily changes, by day of the range. */
export async function readRunningFigure(
  rows: Rows,
  tenant: number,
  figure: Figure,
  { from, to }: Span,
): Promise<Map<number, number>> {
  const changes = new Map(
    (await rows<{ day: number; count: number }>(CHANGES, [tenant, figure, from, to])).map(({ day, count }) => [
      day,
      count,
    ]),
  );
  const values = new Map<number, number>();
  let value = 0;
  for (let day = from; day <= to; day++) {
    value += changes.get(day) ?? 0;
    values.set(day, value);
  }
  return values;
}

const NOTIFICATIONS: Statement = {
  name: 'notifications by period',
  text: `select ${ORDINAL('date_trunc($4, (created_at at time zone $5))::date')} as start, type, channel, status, count(*)::float8 as count
    from notification_deliveries
    where tenant = $1 and created_at >= to_timestamp($2::float8 / 1000) and created_at < to_timestamp($3::float8 / 1000)
    group by 1, 2, 3, 4 order by 1, 2, 3`,
};

export interface NotificationCount {
  start: number;
  type: string;
  channel: string;
  status: 'pending' | 'sent' | 'suppressed' | 'failed';
  count: number;
}

/** Deliveries that are kept, by their status now. Instants are milliseconds. */
export function readNotificationCounts(
  rows: Rows,
  tenant: number,
  { begin, end, interval, zone }: { begin: number; end: number; interval: Interval; zone: string },
): Promise<NotificationCount[]> {
  return rows<NotificationCount>(NOTIFICATIONS, [tenant, begin, end, interval, zone]);
}

const TOTALS: Statement = {
  name: 'figures of all time',
  text: `select no, sum(count)::float8 as count from daily_figures where tenant = $1 and figure = $2 group by 1`,
};

/** Sums of a figure over all days, by the number of the entity. */
export async function readTotals(rows: Rows, tenant: number, figure: Figure): Promise<Map<number, number>> {
  const found = await rows<{ no: number; count: number }>(TOTALS, [tenant, figure]);
  return new Map(found.map(({ no, count }) => [no, count]));
}

export interface LengthCount {
  length: number;
  users: number;
}

const LENGTHS: Statement = {
  name: 'streaks by length',
  text: `select length, users::float8 as users from streak_counts where tenant = $1 and frequency = $2 and users > 0 order by 1`,
};

/** How many users have a streak of each length. */
export function readStreakLengths(rows: Rows, tenant: number, frequency: string): Promise<LengthCount[]> {
  return rows<LengthCount>(LENGTHS, [tenant, frequency]);
}

export interface CohortRow {
  /** Week ordinal. */
  cohort: number;
  value: string;
  /** Weeks after the cohort's own; -1 counts all users of the cohort. */
  week: number;
  users: number;
}

const COHORTS: Statement = {
  name: 'cohorts',
  text: `select counted.cohort, counted.value, week, users::float8 as users
    from generate_series($3::integer, $4::integer) as asked (cohort) cross join unnest($6::text[]) as wanted (value)
    join cohort_counts counted on counted.tenant = $1 and counted.split = $2 and counted.cohort = asked.cohort
      and counted.value = wanted.value and counted.week <= $5
    where users <> 0`,
};

const LARGEST: Statement = {
  name: 'largest groups',
  text: `select value from cohort_counts where tenant = $1 and split = $2 and cohort between $3 and $4 and week = -1
    group by value having sum(users) > 0 order by sum(users) desc, value limit $5`,
};

/** The `count` values of a split with the most users in these cohorts, largest first. */
export async function readLargestGroups(
  rows: Rows,
  tenant: number,
  split: string,
  cohorts: Span,
  count: number,
): Promise<string[]> {
  const found = await rows<{ value: string }>(LARGEST, [tenant, split, cohorts.from, cohorts.to, count]);
  return found.map(({ value }) => value);
}

/** Counts of these cohorts and of up to `weeks` weeks after them, for some values of a split. */
export function readCohorts(
  rows: Rows,
  tenant: number,
  split: string,
  cohorts: Span,
  weeks: number,
  values: string[],
): Promise<CohortRow[]> {
  return rows<CohortRow>(COHORTS, [tenant, split, cohorts.from, cohorts.to, weeks, values]);
}

const LATEST_COMPLETIONS: Statement = {
  name: 'activity around completions',
  text: `select ${ORDINAL(`(completed_at at time zone $5)::date`)} as day, first_day as "firstDay", days::text as bits
    from (
      select user_id, completed_at from completed_achievements
      where tenant = $1 and achievement = $2 and completed_at < to_timestamp($3::float8 / 1000)
      order by completed_at desc limit $4
    ) as latest
    left join user_activity activity on activity.tenant = $1 and activity.user_id = latest.user_id and metric = 0`,
};

export interface CompletionActivity {
  day: number;
  /** First day with an event; null if the user had no event. */
  firstDay: number | null;
  bits: string | null;
}

/** The latest `count` completions of an achievement before an instant (ms), with the days on which their users were active. */
export function readActivityAround(
  rows: Rows,
  tenant: number,
  achievement: number,
  { before, zone, count }: { before: number; zone: string; count: number },
): Promise<CompletionActivity[]> {
  return rows<CompletionActivity>(LATEST_COMPLETIONS, [tenant, achievement, before, count, zone]);
}
