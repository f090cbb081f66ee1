import type { DaySpan } from '../../rules/activity.ts';
import type { Frequency } from '../../rules/config.ts';
import { all, first, type Rows } from '../rows.ts';
import { DATE, DECIMAL_SUM, ORDINAL, type Sql, sql } from '../sql.ts';
import { DAILY_VIEWS, type Summed } from './readUserHistory.ts';
import type { UserKey } from './userMap.ts';

/** Reads of a user's year (GET /users/{id}/wrapped). */

export interface CompletionOfYearRow {
  achievement: number;
  completedAt: Date;
  day: number;
}

export const readCompletions = (
  rows: Rows,
  { tenant, userId }: UserKey,
  span: DaySpan,
): Promise<CompletionOfYearRow[]> =>
  all(rows)`
    select achievement, completed_at as "completedAt", ${ORDINAL('local_date')} as day
    from completed_achievements
    where tenant = ${tenant} and user_id = ${userId}
      and local_date between ${DATE(span.from)} and ${DATE(span.to)}
    order by completed_at, achievement`;

export interface RankOnDayRow {
  leaderboard: number;
  /** First day of the run. */
  run: number;
  day: number;
  rank: number | null;
  value: number;
}

/** The user's rank at the end of each day on a leaderboard, latest last. */
export const readRanks = (rows: Rows, { tenant, userId }: UserKey, span: DaySpan): Promise<RankOnDayRow[]> =>
  all(rows)`
    select leaderboard, ${ORDINAL('run_start')} as run, ${ORDINAL('local_date')} as day, rank, value
    from leaderboard_changes
    where tenant = ${tenant} and user_id = ${userId}
      and local_date between ${DATE(span.from)} and ${DATE(span.to)}
    order by last_sequence`;

export interface LongestStreakRow {
  length: number;
  /** Period in which the streak reached this length. */
  period: number;
  /** Day of the first extension; null if the history does not reach back to it. */
  started: number | null;
}

/**
 * The longest streak extended in the span, the later one of two equal ones; null if no streak was extended in
 * it.
 */
export const readLongestStreak = (
  rows: Rows,
  { tenant, userId }: UserKey,
  frequency: Frequency,
  span: DaySpan,
): Promise<LongestStreakRow | null> =>
  first(rows)`
    with extensions as (
      select * from streak_extensions
      where tenant = ${tenant} and user_id = ${userId} and frequency = ${frequency} and made_good_by is null)
    select length, period, (select ${ORDINAL('max(first.local_date)')} from extensions first
        where first.length = 1 and first.period <= longest.period) as started
    from extensions longest
    where local_date between ${DATE(span.from)} and ${DATE(span.to)}
    order by length desc, period desc limit 1`;

export interface RankedRow {
  no: number;
  /** Number of users with a change in the longest of the spans, including the user. */
  active: number;
  /** For each span, how many of these users have a greater change than the user. */
  ahead: number[];
}

const spansOf = (spans: readonly DaySpan[]): Sql => sql`
  unnest(${spans.map(({ from }) => from)}::integer[], ${spans.map(({ to }) => to)}::integer[])
    with ordinality as span (first, last, n)`;

/** Ranks the user among `userIds`, which include the user, by the change in each of the spans. */
export function readRankings(
  rows: Rows,
  { tenant, userId }: UserKey,
  userIds: readonly string[],
  summed: Summed,
  nos: readonly number[],
  spans: readonly DaySpan[],
): Promise<RankedRow[]> {
  const { view, no } = DAILY_VIEWS[summed];
  const inSpan = sql`filter (where day.local_date between ${DATE(sql`first`)} and ${DATE(sql`last`)})`;
  return all(rows)`
    with changes as (
      select user_id, ${no} as no, n, coalesce(${DECIMAL_SUM('change', inSpan)}, 0) as change
      from ${view} day, ${spansOf(spans)}
      where tenant = ${tenant} and user_id = any(${userIds}) and ${no} = any(${nos}) and day.local_date
        between ${DATE(Math.min(...spans.map(({ from }) => from)))} and ${DATE(Math.max(...spans.map(({ to }) => to)))}
      group by 1, 2, 3
    ), ranked as (
      select mine.no, mine.n, count(*)::integer as active,
        (count(*) filter (where peer.change > mine.change))::integer as ahead
      from changes mine join changes peer using (no, n)
      where mine.user_id = ${userId}
      group by 1, 2
    )
    select no, max(active) as active, array_agg(ahead order by n) as ahead from ranked group by no`;
}

export interface AttributeRow {
  metric: number;
  attribute: number;
  value: string;
  total: number;
  /** For each span: the sum before it, the sum in it, and whether there was an event in it. */
  before: number[];
  change: number[];
  occurred: boolean[];
}

/** Keys of configured attributes: neither the origin nor facts (src/rules/conditions/facts.ts). */
const CONFIGURED = '^[1-9]';

/**
 * Values of event attributes that occurred in one of the spans; at most `count`, those with the greatest
 * changes. Reads raw events, because the views have no attributes: events that retention has dropped are not
 * counted.
 */
export const readAttributes = (
  rows: Rows,
  { tenant, userId }: UserKey,
  metrics: readonly number[],
  spans: readonly DaySpan[],
  count: number,
): Promise<AttributeRow[]> =>
  all(rows)`
    with days as (
      select metric, pair.key::integer as attribute, pair.value, ${ORDINAL('local_date')} as day,
        ${DECIMAL_SUM('event.value')} as change
      from event_history event, jsonb_each_text(attributes) pair
      where tenant = ${tenant} and user_id = ${userId} and metric = any(${metrics}) and attributes is not null
        and pair.key ~ ${CONFIGURED}
      group by 1, 2, 3, 4
    ), spans as (
      select metric, attribute, value, n, sum(change) as total,
        coalesce(sum(change) filter (where day < first), 0) as before,
        coalesce(sum(change) filter (where day between first and last), 0) as change,
        coalesce(bool_or(day between first and last), false) as occurred
      from days, ${spansOf(spans)}
      group by 1, 2, 3, 4
    )
    select metric, attribute, value, max(total) as total, array_agg(before order by n) as before,
      array_agg(change order by n) as change, array_agg(occurred order by n) as occurred
    from spans group by 1, 2, 3 having bool_or(occurred)
    order by max(abs(change)) desc, value limit ${count}`;
