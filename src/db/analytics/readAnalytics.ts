import { LONG_STREAK_PERIODS_MIN } from '../../base/consoleLimits.ts';
import type { DaySpan } from '../../rules/activity.ts';
import { periodDays, periodOfDay } from '../../rules/calendar.ts';
import { all, column, type Rows } from '../rows.ts';
import { DATE, DECIMAL_SUM, INSTANT, ORDINAL, raw, type Sql, sql } from '../sql.ts';
import { activityOf } from '../users/readActivity.ts';
import type { CountKind } from './dailyCounts.ts';

/** Reads of the daily counts. Days are ordinals since 1970, in the tenant's time zone. */

export type Interval = 'day' | 'week' | 'month';

export interface PeriodCount {
  kind: CountKind;
  /** First day of the period. */
  start: number;
  no: number;
  detail: string;
  count: number;
  sum: number;
}

/** By what sums are grouped besides kind, period and entity. Without the detail, it is empty. */
type Grouping = 'period' | 'both';

/** The only kind with fractions: they are added as decimals, which takes longer. */
const FRACTIONAL: CountKind = 'metricEvents';

/** Counts with several rows for an entity and a day. */
const DETAILED: readonly CountKind[] = [
  'completionDays',
  'pointsGained',
  'pointsSpent',
  'streaksLost',
  'rankChanges',
  'notifications',
  'challengeGoals',
  'challengeCompletions',
];

/** The dailyCounts of a day, in lists of the same length. */
interface PackedDay {
  kind: CountKind;
  start: number;
  nos: string;
  details: string;
  counts: string;
  sums: string;
}

function unpack({ kind, start, nos, details, counts, sums }: PackedDay): PeriodCount[] {
  const [detail, count, sum] = [details.split('\x1f'), counts.split(','), sums.split(',')];
  return nos.split(',').map((no, i) => ({
    kind,
    start,
    no: Number(no),
    detail: detail[i]!,
    count: Number(count[i]),
    sum: Number(sum[i]),
  }));
}

/** Counts of a tenant, of one entity (null: of all) in a range of days. */
const countsIn = (tenant: number, kinds: CountKind[], { from, to }: DaySpan, no: number | null): Sql => sql`
  tenant = ${tenant} and kind = any(${kinds}) and day between ${DATE(from)} and ${DATE(to)}
  and (${no}::integer is null or no = ${no})`;

/** Sums of dailyCounts in a range of days. @param no number of one entity; null for all */
export async function readCounts(
  rows: Rows,
  tenant: number,
  kinds: CountKind[],
  { interval, ...range }: DaySpan & { interval: Interval },
  grouping: Grouping,
  no: number | null = null,
): Promise<PeriodCount[]> {
  const given = countsIn(tenant, kinds, range, no);
  if (interval === 'day' && (grouping === 'both' || !kinds.some((kind) => DETAILED.includes(kind))))
    return readDayCounts(rows, given);
  const start = sql`case ${interval}::text when 'day' then day
    else date_trunc(${interval}, day::timestamp)::date end`;
  return all(rows)`
    select kind, ${ORDINAL(start)} as start, no, ${raw(grouping === 'period' ? "''" : 'detail')} as detail,
      sum(count)::float8 as count, ${kinds.includes(FRACTIONAL) ? DECIMAL_SUM('sum') : raw('sum(sum)')} as sum
    from daily_counts where ${given}
    group by 1, 2, 3, 4 having sum(count) <> 0 order by 2, 3, 4`;
}

/**
 * Rows of the table, where nothing has to be added up. Those of a day come as one row, which the driver reads
 * in half the time: a thousand achievements make a third of a million dailyCounts a year.
 */
async function readDayCounts(rows: Rows, given: Sql): Promise<PeriodCount[]> {
  const days = await all(rows)<PackedDay>`
    select kind, ${ORDINAL('day')} as start, string_agg(no::text, ',' order by no, detail) as nos,
      string_agg(detail, chr(31) order by no, detail) as details,
      string_agg(count::text, ',' order by no, detail) as counts,
      string_agg(sum::text, ',' order by no, detail) as sums
    from daily_counts where ${given} and count <> 0
    group by kind, day order by day, kind`;
  return days.flatMap(unpack);
}

/** Counts whose sums by month are kept, too (has_monthly_sums in src/db/migrations/001_schema.sql). */
export type MonthlyCount = 'completions' | 'completionDays' | 'pointsGained' | 'pointsSpent' | 'streaksLost';

/** A sum over all days of a range. */
export type RangeCount = Omit<PeriodCount, 'start'>;

/**
 * Sums over a range of days, from whole months and the days around them. @param no number of one entity; null
 * for all
 */
export function readRangeCounts(
  rows: Rows,
  tenant: number,
  kinds: MonthlyCount[],
  range: DaySpan & { today: number },
  no: number | null = null,
): Promise<RangeCount[]> {
  const { from, to } = range;
  const [months, rest] = wholeMonths(range);
  return all(rows)`
    select kind, no, detail, sum(count)::float8 as count, sum(sum) as sum from (
      select kind, no, detail, count, sum from monthly_counts
      where tenant = ${tenant} and kind = any(${kinds}) and month >= ${DATE(months)} and month < ${DATE(rest)}
        and (${no}::integer is null or no = ${no})
      union all select kind, no, detail, count, sum from daily_counts
      where ${countsIn(tenant, kinds, { from, to: months - 1 }, no)}
      union all select kind, no, detail, count, sum from daily_counts
      where ${countsIn(tenant, kinds, { from: rest, to }, no)}
    ) as part
    group by 1, 2, 3 having sum(count) <> 0 order by 2, 3`;
}

/**
 * First day of the first whole month of a range, and first day after the last one. A month whose days to come
 * are left out is whole.
 */
function wholeMonths({ from, to, today }: DaySpan & { today: number }): [first: number, end: number] {
  const monthAt = (day: number) => periodDays('monthly', periodOfDay('monthly', day));
  const [first, last] = [monthAt(from), monthAt(to)];
  const begin = first.start === from ? from : first.end + 1;
  const end = last.end === to || to >= today ? last.end + 1 : last.start;
  return begin < end ? [begin, end] : [to + 1, to + 1];
}

/** Values of a kind that is stored as daily changes, by day of the range. */
export async function readRunningCount(
  rows: Rows,
  tenant: number,
  kind: CountKind,
  { from, to }: DaySpan,
): Promise<Map<number, number>> {
  const found = await all(rows)<{ day: number; count: number }>`
    select ${ORDINAL(sql`greatest(day, ${DATE(from)})`)} as day, sum(count)::float8 as count from daily_counts
    where tenant = ${tenant} and kind = ${kind} and day <= ${DATE(to)} group by 1 order by 1`;
  const changes = new Map(found.map(({ day, count }) => [day, count]));
  const values = new Map<number, number>();
  let value = 0;
  for (let day = from; day <= to; day++) {
    value += changes.get(day) ?? 0;
    values.set(day, value);
  }
  return values;
}

export interface LengthCount {
  length: number;
  users: number;
}

/** How many users have a streak of each length. */
export const readStreakLengths = (rows: Rows, tenant: number, frequency: string): Promise<LengthCount[]> =>
  all(rows)`
    select length, users::float8 as users from streak_counts
    where tenant = ${tenant} and frequency = ${frequency} and users > 0 order by 1`;

export interface CohortRow {
  /** Week ordinal. */
  cohort: number;
  value: string;
  /** Weeks after the cohort's own; -1 counts all users of the cohort. */
  week: number;
  users: number;
}

/** The `count` values of a split with the most users in these cohorts, largest first. */
export const readLargestGroups = (
  rows: Rows,
  tenant: number,
  split: string,
  cohorts: DaySpan,
  count: number,
): Promise<string[]> =>
  column(rows)`
    select value from cohort_counts
    where tenant = ${tenant} and split = ${split} and cohort between ${cohorts.from} and ${cohorts.to}
      and week = -1
    group by value having sum(users) > 0 order by sum(users) desc, value limit ${count}`;

/** Counts of these cohorts and of up to `weeks` weeks after them, for some values of a split. */
export const readCohorts = (
  rows: Rows,
  tenant: number,
  split: string,
  cohorts: DaySpan,
  weeks: number,
  values: string[],
): Promise<CohortRow[]> =>
  all(rows)`
    select counted.cohort, counted.value, week, users::float8 as users
    from generate_series(${cohorts.from}::integer, ${cohorts.to}::integer) as asked (cohort)
    cross join unnest(${values}::text[]) as wanted (value)
    join cohort_counts counted on counted.tenant = ${tenant} and counted.split = ${split}
      and counted.cohort = asked.cohort and counted.value = wanted.value and counted.week <= ${weeks}
    where users <> 0`;

export interface CompletionActivity {
  day: number;
  /** First day with an event; null if the user had no event. */
  firstDay: number | null;
  bits: string | null;
}

/**
 * The latest `count` completions of an achievement before an instant (ms), with the days on which their users
 * were active.
 */
export const readActivityAround = (
  rows: Rows,
  tenant: number,
  achievement: number,
  { before, zone, count }: { before: number; zone: string; count: number },
): Promise<CompletionActivity[]> =>
  all(rows)`
    select ${ORDINAL(sql`(completed_at at time zone ${zone})::date`)} as day, first_day as "firstDay",
      days::text as bits
    from (
      select user_id, completed_at from completed_achievements
      where tenant = ${tenant} and achievement = ${achievement} and completed_at < ${INSTANT(before)}
      order by completed_at desc limit ${count}
    ) as latest
    left join lateral ${activityOf(tenant, raw('latest.user_id'))} as activity on true`;

export interface StreakAtRisk {
  userId: string;
  length: number;
  name: string | null;
}

/**
 * The longest `count` streaks of at least `minLength` that were last extended in a period (ordinal). The
 * index of long streaks serves it if the statement itself says that they are long.
 */
export function readStreaksAtRisk(
  rows: Rows,
  tenant: number,
  {
    frequency,
    minLength,
    lastPeriod,
    count,
  }: { frequency: string; minLength: number; lastPeriod: number; count: number },
): Promise<StreakAtRisk[]> {
  const leastLength = raw(minLength < LONG_STREAK_PERIODS_MIN ? 1 : LONG_STREAK_PERIODS_MIN);
  return all(rows)`
    select standing.user_id as "userId", name, length
    from (
      select user_id, length from streak_standings
      where tenant = ${tenant} and frequency = ${frequency} and length >= ${leastLength}
        and - length <= - ${minLength}::int4 and last_period = ${lastPeriod}
      order by - length, user_id collate "C" limit ${count}
    ) as standing
    left join users on users.tenant = ${tenant} and users.user_id = standing.user_id
    order by length desc, standing.user_id collate "C"`;
}
