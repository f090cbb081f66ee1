import type { DaySpan } from '../../rules/activity.ts';
import { ORIGIN_ATTRIBUTE } from '../../rules/award.ts';
import type { Frequency } from '../../rules/config.ts';
import type { Rows, Statement } from '../rows.ts';
import { DATE, DECIMAL_SUM, ORDINAL } from '../sql.ts';
import { DAILY_VIEWS, type Summed } from './readUserHistory.ts';
import type { UserKey } from './userMap.ts';

/** Reads of a user's year (GET /users/{id}/wrapped). */

export interface CompletionOfYearRow {
  achievement: number;
  completedAt: Date;
  day: number;
}

const COMPLETIONS: Statement = {
  name: 'completions of a span',
  text: `select achievement, completed_at as "completedAt", ${ORDINAL('local_date')} as day from completed_achievements
    where tenant = $1 and user_id = $2 and local_date between ${DATE('$3')} and ${DATE('$4')}
    order by completed_at, achievement`,
};

export function readCompletions(
  rows: Rows,
  { tenant, userId }: UserKey,
  span: DaySpan,
): Promise<CompletionOfYearRow[]> {
  return rows<CompletionOfYearRow>(COMPLETIONS, [tenant, userId, span.from, span.to]);
}

export interface RankOnDayRow {
  leaderboard: number;
  /** First day of the run. */
  run: number;
  day: number;
  rank: number | null;
  value: number;
}

const RANKS: Statement = {
  name: 'ranks of a span',
  text: `select leaderboard, ${ORDINAL('run_start')} as run, ${ORDINAL('local_date')} as day, rank, value
    from leaderboard_changes
    where tenant = $1 and user_id = $2 and local_date between ${DATE('$3')} and ${DATE('$4')}
    order by last_sequence`,
};

/** The user's rank at the end of each day on a leaderboard, latest last. */
export function readRanks(rows: Rows, { tenant, userId }: UserKey, span: DaySpan): Promise<RankOnDayRow[]> {
  return rows<RankOnDayRow>(RANKS, [tenant, userId, span.from, span.to]);
}

export interface LongestStreakRow {
  length: number;
  /** Period in which the streak reached this length. */
  period: number;
  /** Day of the first extension; null if the history does not reach back to it. */
  started: number | null;
}

const LONGEST_STREAK: Statement = {
  name: 'longest streak of a span',
  text: `with extensions as (
      select * from streak_extensions
      where tenant = $1 and user_id = $2 and frequency = $3 and made_good_by is null)
    select length, period, (select ${ORDINAL('max(first.local_date)')} from extensions first
        where first.length = 1 and first.period <= longest.period) as started
    from extensions longest
    where local_date between ${DATE('$4')} and ${DATE('$5')}
    order by length desc, period desc limit 1`,
};

/**
 * The longest streak extended in the span, the later one of two equal ones; null if no streak was extended in
 * it.
 */
export async function readLongestStreak(
  rows: Rows,
  { tenant, userId }: UserKey,
  frequency: Frequency,
  span: DaySpan,
): Promise<LongestStreakRow | null> {
  const [longest] = await rows<LongestStreakRow>(LONGEST_STREAK, [
    tenant,
    userId,
    frequency,
    span.from,
    span.to,
  ]);
  return longest ?? null;
}

export interface RankedRow {
  no: number;
  /** Number of users with a change in the longest of the spans, including the user. */
  active: number;
  /** For each span, how many of these users have a greater change than the user. */
  ahead: number[];
}

const rankingOf = (summed: Summed): Statement => {
  const { view, no } = DAILY_VIEWS[summed];
  return {
    name: `ranking by ${summed}`,
    text: `with changes as (
        select user_id, ${no} as no, n, coalesce(${DECIMAL_SUM('change', `filter (where day.local_date between ${DATE('first')} and ${DATE('last')})`)}, 0) as change
        from ${view} day, unnest($4::integer[], $5::integer[]) with ordinality as span (first, last, n)
        where tenant = $1 and user_id = any($2) and ${no} = any($3)
          and day.local_date between (select ${DATE('min(first)')} from unnest($4::integer[]) first)
          and (select ${DATE('max(last)')} from unnest($5::integer[]) last)
        group by 1, 2, 3
      ), ranked as (
        select mine.no, mine.n, count(*)::integer as active,
          (count(*) filter (where peer.change > mine.change))::integer as ahead
        from changes mine join changes peer using (no, n)
        where mine.user_id = $6
        group by 1, 2
      )
      select no, max(active) as active, array_agg(ahead order by n) as ahead from ranked group by no`,
  };
};
const RANKINGS = { metric: rankingOf('metric'), points: rankingOf('points') };

/** Ranks the user among `userIds`, which include the user, by the change in each of the spans. */
export function readRankings(
  rows: Rows,
  { tenant, userId }: UserKey,
  userIds: readonly string[],
  summed: Summed,
  nos: readonly number[],
  spans: readonly DaySpan[],
): Promise<RankedRow[]> {
  const [first, last] = [spans.map(({ from }) => from), spans.map(({ to }) => to)];
  return rows<RankedRow>(RANKINGS[summed], [tenant, userIds, nos, first, last, userId]);
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

// Reads raw events, because the views have no attributes. Events that retention has dropped are not counted.
const ATTRIBUTES: Statement = {
  name: 'attributes of events',
  text: `with days as (
      select metric, pair.key::integer as attribute, pair.value, ${ORDINAL('local_date')} as day, ${DECIMAL_SUM('event.value')} as change
      from event_history event, jsonb_each_text(attributes) pair
      where tenant = $1 and user_id = $2 and metric = any($3) and attributes is not null and pair.key <> '${ORIGIN_ATTRIBUTE}'
      group by 1, 2, 3, 4
    ), spans as (
      select metric, attribute, value, n, sum(change) as total, coalesce(sum(change) filter (where day < first), 0) as before,
        coalesce(sum(change) filter (where day between first and last), 0) as change,
        coalesce(bool_or(day between first and last), false) as occurred
      from days, unnest($4::integer[], $5::integer[]) with ordinality as span (first, last, n)
      group by 1, 2, 3, 4
    )
    select metric, attribute, value, max(total) as total, array_agg(before order by n) as before,
      array_agg(change order by n) as change, array_agg(occurred order by n) as occurred
    from spans group by 1, 2, 3 having bool_or(occurred)
    order by max(abs(change)) desc, value limit $6`,
};

/**
 * Values of event attributes that occurred in one of the spans; at most `count`, those with the greatest
 * changes.
 */
export function readAttributes(
  rows: Rows,
  { tenant, userId }: UserKey,
  metrics: readonly number[],
  spans: readonly DaySpan[],
  count: number,
): Promise<AttributeRow[]> {
  const [first, last] = [spans.map(({ from }) => from), spans.map(({ to }) => to)];
  return rows<AttributeRow>(ATTRIBUTES, [tenant, userId, metrics, first, last, count]);
}
