import type { Frequency } from '../../rules/config.ts';
import type { RecordedPeriod } from '../../rules/followStreak.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { all, column, type Rows } from '../rows.ts';
import { DATE, INSTANT, MILLISECONDS, ORDINAL, raw, type Sql, sql } from '../sql.ts';
import { idsOf, isWithin, numbersOf, type TrialUser, type TrialWindow } from './trialSlices.ts';

/* What the history knows of streaks in the window of a trial, and shortly before it. */

interface OfUser {
  userId: string;
}

export interface RecordedStreaks {
  /** Periods from `since` on. */
  periods: (OfUser & RecordedPeriod)[];
  /** Instants (ms) at which administrators ended streaks, also before the window. */
  resets: (OfUser & { at: number })[];
  /** Streaks that were lost within the window, and freezes that were earned. */
  losses: (OfUser & { losses: number })[];
  earned: (OfUser & { freezes: number })[];
  /** Users whose streak grew before `since`. */
  earlier: ReadonlySet<string>;
}

/** @param since a period, the first one that is read */
export async function readRecordedStreaks(
  rows: Rows,
  { tenant }: Rules,
  { users, window, frequency, since }: Asked & { frequency: Frequency; since: number },
): Promise<RecordedStreaks> {
  const ofUser = sql`tenant = ${tenant} and user_id = any(${idsOf(users)}::text[])`;
  const ofStreak = sql`${ofUser} and frequency = ${frequency}`;
  const each = raw('user_id as "userId"');
  return {
    periods: await all(rows)`
      select ${each}, period, length, ${ORDINAL('local_date')} as day, ${MILLISECONDS('extended_at')} as at,
        made_good_by as "madeGoodBy"
      from streak_extensions where ${ofStreak} and period >= ${since} order by period`,
    resets: await all(rows)`
      select distinct ${each}, ${MILLISECONDS('reset_at')} as at from streak_resets where ${ofUser}`,
    losses: await all(rows)`
      select ${each}, count(*)::integer as losses from streak_losses
      where ${ofStreak} and ${isWithin(raw('lost_at'), window)} group by user_id`,
    earned: await all(rows)`
      select ${each}, sum(freezes)::integer as freezes from earned_freezes
      where ${ofUser} and ${isWithin(raw('earned_at'), window)} group by user_id`,
    earlier: new Set(
      await column(rows)<string>`
        select distinct user_id from streak_extensions
        where ${ofStreak} and period < ${since} and made_good_by is null`,
    ),
  };
}

interface Asked {
  users: readonly TrialUser[];
  window: TrialWindow;
}

/** What a user has reached of a metric on a local day, before or after the window began. */
export interface ReachedDay {
  no: number;
  metric: number;
  day: number;
  isEarly: boolean;
  /** The greatest sum of the period on that day. */
  reached: number;
  /** Of the first event, ms. */
  at: number;
}

const PERIOD_OF: Record<Frequency, Sql> = {
  daily: raw('local_date'),
  weekly: raw(`date_trunc('week', local_date)::date`),
  monthly: raw(`date_trunc('month', local_date)::date`),
};

/**
 * @param tracked metrics whose sums of a period go on when the window begins; those of others begin anew
 * @param since the first local day; null for all that are still kept
 */
export const readReachedDays = (
  rows: Rows,
  {
    users,
    window,
    frequency,
    metrics,
    tracked,
    since,
  }: Asked & {
    frequency: Frequency;
    metrics: readonly number[];
    tracked: readonly number[];
    since: number | null;
  },
): Promise<ReachedDay[]> => {
  const isEarly = sql`recorded_at < ${INSTANT(window.from)}`;
  // A day more, because the window of partitions is in UTC.
  const first = since === null ? null : DATE(since - 1);
  const isRead =
    first === null ? raw('true') : sql`local_date >= ${DATE(since)} and recorded_at >= ${first}::timestamptz`;
  return all(rows)`
    select user_no as no, metric, ${ORDINAL('local_date')} as day, is_early as "isEarly",
      max(reached)::float8 as reached, ${MILLISECONDS('min(recorded_at)')} as at
    from (
      select user_no, metric, local_date, recorded_at, is_early, sum(value::numeric) over (
        partition by user_no, metric, period, is_early and metric <> all(${tracked}::integer[]) order by sequence
      ) as reached
      from (
        select *, ${isEarly} as is_early, ${PERIOD_OF[frequency]} as period from recorded_events
        where user_no = any(${numbersOf(users)}::integer[]) and metric = any(${metrics}::integer[])
          and recorded_at < ${INSTANT(window.until)} and ${isRead}
      ) as event
    ) as summed
    group by user_no, metric, local_date, is_early order by local_date, is_early desc, at`;
};
