import type { DaySpan } from '../../rules/activity.ts';
import { periodDays, periodOfDay } from '../../rules/calendar.ts';
import type { Rows, Statement } from '../rows.ts';
import { DATE, DECIMAL_SUM, INSTANT, ORDINAL } from '../sql.ts';
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

const countsBy = (grouping: Grouping, isFractional: boolean): Statement => ({
  name: `dailyCounts by ${grouping}${isFractional ? ' with fractions' : ''}`,
  text: `select kind, ${ORDINAL(`case $5::text when 'day' then day else date_trunc($5, day::timestamp)::date end`)} as start, no,
      ${grouping === 'period' ? "''" : 'detail'} as detail, sum(count)::float8 as count,
      ${isFractional ? DECIMAL_SUM('sum') : 'sum(sum)'} as sum
    from daily_counts
    where tenant = $1 and kind = any($2) and day between ${DATE('$3::integer')} and ${DATE('$4::integer')}
      and ($6::integer is null or no = $6)
    group by 1, 2, 3, 4 having sum(count) <> 0
    order by 2, 3, 4`,
});
const COUNTS = { period: countsBy('period', false), both: countsBy('both', false) };
const FRACTIONAL_COUNTS = countsBy('period', true);

/** Counts with several rows for an entity and a day. */
const DETAILED: readonly CountKind[] = [
  ...([
    'completionDays',
    'pointsGained',
    'pointsSpent',
    'streaksLost',
    'rankChanges',
    'notifications',
  ] as const),
];

/**
 * Rows of the table, where nothing has to be added up. Those of a day come as one row, which the driver reads
 * in half the time: a thousand achievements make a third of a million dailyCounts a year.
 */
const DAYS: Statement = {
  name: 'dailyCounts of days',
  text: `select kind, ${ORDINAL('day')} as start, string_agg(no::text, ',' order by no, detail) as nos,
      string_agg(detail, chr(31) order by no, detail) as details, string_agg(count::text, ',' order by no, detail) as counts,
      string_agg(sum::text, ',' order by no, detail) as sums
    from daily_counts
    where tenant = $1 and kind = any($2) and day between ${DATE('$3::integer')} and ${DATE('$4::integer')} and count <> 0
      and ($5::integer is null or no = $5)
    group by kind, day order by day, kind`,
};

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

/** Sums of dailyCounts in a range of days. @param no number of one entity; null for all */
export async function readCounts(
  rows: Rows,
  tenant: number,
  dailyCounts: CountKind[],
  { from, to, interval }: DaySpan & { interval: Interval },
  grouping: Grouping,
  no: number | null = null,
): Promise<PeriodCount[]> {
  if (interval === 'day' && (grouping === 'both' || !dailyCounts.some((kind) => DETAILED.includes(kind)))) {
    return (await rows<PackedDay>(DAYS, [tenant, dailyCounts, from, to, no])).flatMap(unpack);
  }
  const statement = dailyCounts.includes(FRACTIONAL) ? FRACTIONAL_COUNTS : COUNTS[grouping];
  return rows<PeriodCount>(statement, [tenant, dailyCounts, from, to, interval, no]);
}

/** Counts whose sums by month are kept, too (has_monthly_sums in src/db/migrations/001_schema.sql). */
export type MonthlyCount = 'completions' | 'completionDays' | 'pointsGained' | 'pointsSpent' | 'streaksLost';

/** A sum over all days of a range. */
export type RangeCount = Omit<PeriodCount, 'start'>;

const RANGE_COUNTS: Statement = {
  name: 'dailyCounts of a range',
  text: `select kind, no, detail, sum(count)::float8 as count, sum(sum) as sum from (
      select kind, no, detail, count, sum from monthly_counts
      where tenant = $1 and kind = any($2) and month >= ${DATE('$5::integer')} and month < ${DATE('$6::integer')}
        and ($7::integer is null or no = $7)
      union all select kind, no, detail, count, sum from daily_counts
      where tenant = $1 and kind = any($2) and day between ${DATE('$3::integer')} and ${DATE('$5::integer')} - 1
        and ($7::integer is null or no = $7)
      union all select kind, no, detail, count, sum from daily_counts
      where tenant = $1 and kind = any($2) and day between ${DATE('$6::integer')} and ${DATE('$4::integer')}
        and ($7::integer is null or no = $7)
    ) as part
    group by 1, 2, 3 having sum(count) <> 0 order by 2, 3`,
};

/**
 * Sums over a range of days, from whole months and the days around them. @param no number of one entity; null
 * for all
 */
export function readRangeCounts(
  rows: Rows,
  tenant: number,
  dailyCounts: MonthlyCount[],
  range: DaySpan & { today: number },
  no: number | null = null,
): Promise<RangeCount[]> {
  const { from, to } = range;
  const [months, rest] = wholeMonths(range);
  return rows<RangeCount>(RANGE_COUNTS, [tenant, dailyCounts, from, to, months, rest, no]);
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

const CHANGES: Statement = {
  name: 'dailyCounts as changes',
  text: `select ${ORDINAL(`greatest(day, ${DATE('$3::integer')})`)} as day, sum(count)::float8 as count from daily_counts
    where tenant = $1 and kind = $2 and day <= ${DATE('$4::integer')} group by 1 order by 1`,
};

/** Values of a kind that is stored as daily changes, by day of the range. */
export async function readRunningCount(
  rows: Rows,
  tenant: number,
  kind: CountKind,
  { from, to }: DaySpan,
): Promise<Map<number, number>> {
  const changes = new Map(
    (await rows<{ day: number; count: number }>(CHANGES, [tenant, kind, from, to])).map(({ day, count }) => [
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
  cohorts: DaySpan,
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
  cohorts: DaySpan,
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
      where tenant = $1 and achievement = $2 and completed_at < ${INSTANT('$3::float8')}
      order by completed_at desc limit $4
    ) as latest
    left join lateral ${activityOf('$1', 'latest.user_id')} as activity on true`,
};

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
export function readActivityAround(
  rows: Rows,
  tenant: number,
  achievement: number,
  { before, zone, count }: { before: number; zone: string; count: number },
): Promise<CompletionActivity[]> {
  return rows<CompletionActivity>(LATEST_COMPLETIONS, [tenant, achievement, before, count, zone]);
}
