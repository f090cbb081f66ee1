import type { DaySpan } from '../../rules/activity.ts';
import type { StoredAward } from '../../rules/award.ts';
import { ADJUSTMENT_TRIGGER, type Frequency } from '../../rules/config.ts';
import type { StreakPeriods } from '../../rules/streakHistory.ts';
import { all, first, type Rows, value } from '../rows.ts';
import { DATE, DECIMAL_SUM, MILLISECONDS, ORDINAL, raw, type Sql, sql } from '../sql.ts';
import { awardsOf } from './userEvents.ts';
import type { UserKey } from './userMap.ts';

/*
 * Reads of one user's history. Days, weeks and months are ordinals since 1970; entities are given by their
 * numbers.
 */

/** An award with what orders those of the same instant. */
export interface OrderedAward extends StoredAward {
  /** Sequence number of the user's change that made it. */
  sequence: number;
  /** Its number among the awards of the change. */
  n: number;
}

/**
 * Awards, newest first. Those of events are indexed by user and time. To find a system of which the user has
 * few awards, all events are searched: the text is compared first, because unpacking it takes ten times as
 * long.
 */
export function readAwards(
  rows: Rows,
  { tenant, userId }: UserKey,
  system: number,
  count: number,
): Promise<OrderedAward[]> {
  const { others, ofEvents } = awardsOf(tenant, userId);
  const columns = raw(
    'id, trigger, awarded, total, recorded_at as date, boosts, reward, sequence::float8 as sequence, n',
  );
  const newest = sql`order by date desc, sequence desc, n desc limit ${count}`;
  return all(rows)`
    select * from (
      (select ${columns} from ${others} and system = ${system} ${newest})
      union all
      (select ${columns} from ${ofEvents} and strpos(packed, '[' || ${system}::integer || ',') > 0
        and system = ${system} ${newest})
    ) as row ${newest}`;
}

/** The award of an adjustment; null if it is not in the history. */
export const readAdjustment = (
  rows: Rows,
  { tenant, userId }: UserKey,
  system: number,
  id: string,
): Promise<{ awarded: number; total: number } | null> =>
  first(rows)`
    select awarded, total from points_awards
    where tenant = ${tenant} and user_id = ${userId} and system = ${system}
      and trigger = ${ADJUSTMENT_TRIGGER} and id = ${id}`;

export interface DayRow {
  /** Number of the metric or points system. */
  no: number;
  /** Day ordinal; the day before the range stands for all earlier days. */
  day: number;
  /** Number of events or awards. */
  count: number;
  change: number;
}

/** What is summed: the values of metrics or the awards of points systems. */
export type Summed = 'metric' | 'points';

/** Their views, with the names of the columns for the number and the count. */
export const DAILY_VIEWS: Record<Summed, { view: Sql; no: Sql; count: Sql }> = {
  metric: { view: raw('metric_totals_daily'), no: raw('metric_no'), count: raw('events') },
  points: { view: raw('points_totals_daily'), no: raw('system_no'), count: raw('awards') },
};

/**
 * Days with a change in a range of local days, ascending. A row for the day before the range sums all earlier
 * days of its entity.
 */
export function readDays(
  rows: Rows,
  { tenant, userId }: UserKey,
  summed: Summed,
  nos: readonly number[],
  range: DaySpan,
): Promise<DayRow[]> {
  const { view, no, count } = DAILY_VIEWS[summed];
  return all(rows)`
    select ${no} as no, ${ORDINAL(sql`greatest(local_date, ${DATE(range.from)} - 1)`)} as day,
      sum(${count})::float8 as count, ${DECIMAL_SUM('change')} as change
    from ${view}
    where tenant = ${tenant} and user_id = ${userId} and ${no} = any(${nos}) and local_date <= ${DATE(range.to)}
    group by 1, 2 order by 2`;
}

/**
 * The periods from `from` to `to` in which the streak was extended, kept by a freeze or a pause, or reset.
 */
export async function readStreakPeriods(
  rows: Rows,
  { tenant, userId }: UserKey,
  frequency: Frequency,
  from: number,
  to: number,
): Promise<StreakPeriods> {
  const inRange = sql`tenant = ${tenant} and user_id = ${userId} and frequency = ${frequency}
    and period between ${from} and ${to}`;
  return {
    extensions: await all(rows)`
      select period, length, made_good_by as "madeGoodBy" from streak_extensions where ${inRange}`,
    resets: await all(rows)`
      select period, max(reset_at) as "resetAt" from streak_resets where ${inRange} group by period`,
  };
}

export interface LostStreak {
  frequency: Frequency;
  /** The last period that was extended or made good. */
  period: number;
  length: number;
  /** Milliseconds since 1970. */
  lostAt: number;
}

/** The last streak that a user lost until an instant (ms); null if there is none. */
export const readLastLoss = (
  rows: Rows,
  { tenant, userId }: UserKey,
  at: number,
): Promise<LostStreak | null> =>
  first(rows)`
    select frequency, period, length, ${MILLISECONDS('lost_at')} as "lostAt" from streak_losses
    where tenant = ${tenant} and user_id = ${userId} and lost_at <= ${new Date(at)}
    order by lost_at desc, period desc limit 1`;

/** The last period until `period` that a freeze saved; null if there is none. */
export const readLastFreeze = (
  rows: Rows,
  { tenant, userId }: UserKey,
  { frequency, period }: LostStreak,
): Promise<number | null> =>
  value(rows)`
    select period from streak_extensions
    where tenant = ${tenant} and user_id = ${userId} and frequency = ${frequency} and period <= ${period}
      and made_good_by = 'freeze'
    order by period desc limit 1`;
