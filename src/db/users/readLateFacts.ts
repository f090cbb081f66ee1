import type { Frequency } from '../../rules/config.ts';
import type { EarnedFreezes, RecordedLoss, RecordedPeriod } from '../../rules/followStreak.ts';
import type { StreakRecords } from '../../rules/lateStreaks.ts';
import type { RunRange } from '../../rules/runZones.ts';
import { all, column, type Rows } from '../rows.ts';
import { MILLISECONDS, ORDINAL, type Sql, sql } from '../sql.ts';
import { eventsOf, isInRun, stillCounts } from './userEvents.ts';
import type { UserKey } from './userMap.ts';

/* What the history knows that an event of the past may change. */

/**
 * @param from the period of the event, which begins at `startMs`
 */
export async function readStreakRecords(
  rows: Rows,
  { tenant, userId }: UserKey,
  frequency: Frequency,
  from: number,
  startMs: number,
): Promise<StreakRecords> {
  const ofStreak = sql`tenant = ${tenant} and user_id = ${userId} and frequency = ${frequency}`;
  const recorded = await all(rows)<RecordedPeriod>`
    select period, length, ${ORDINAL('local_date')} as day, ${MILLISECONDS('extended_at')} as at,
      made_good_by as "madeGoodBy"
    from streak_extensions where ${ofStreak} and period >= ${from - 1} order by period`;
  const losses = await all(rows)<RecordedLoss>`
    select period, length, ${MILLISECONDS('lost_at')} as "lostAt" from streak_losses
    where ${ofStreak} and period >= ${from - 1} order by period`;
  const resets = await all(rows)<{ period: number; resetAt: number }>`
    select period, ${MILLISECONDS('reset_at')} as "resetAt" from streak_resets
    where ${ofStreak} and period >= ${from - 1}`;
  const [earlier] = await all(rows)<{ firstDay: number }>`
    select ${ORDINAL('local_date')} as "firstDay" from streak_extensions
    where ${ofStreak} and period < ${from} and made_good_by is null
    order by length = 1 desc, period desc limit 1`;
  const earned = await all(rows)<EarnedFreezes>`
    select ${MILLISECONDS('earned_at')} as at, freezes from earned_freezes
    where tenant = ${tenant} and user_id = ${userId} and earned_at > ${new Date(startMs)}`;
  const length = lengthBefore(from, recorded, losses, resets);
  return {
    periods: recorded.filter(({ period }) => period >= from),
    losses,
    resets: resets.filter(({ period }) => period >= from),
    before: length === 0 ? null : { length, firstDay: earlier?.firstDay ?? null },
    isFirst: earlier === undefined && length === 0,
    earned,
  };
}

/**
 * Length of the streak when the missed period `from` began. What became of it in this period says so, also
 * after an administrator has restored the streak; without that, the period before.
 */
function lengthBefore(
  from: number,
  recorded: readonly RecordedPeriod[],
  losses: readonly RecordedLoss[],
  resets: readonly { period: number; resetAt: number }[],
): number {
  const missed =
    recorded.find(({ period }) => period === from) ?? losses.find((row) => row.period === from - 1);
  if (missed !== undefined) return missed.length;
  const last = recorded.find(({ period }) => period === from - 1);
  if (last === undefined) return 0;
  return resets.some(({ period, resetAt }) => period === from - 1 && resetAt >= last.at) ? 0 : last.length;
}

/** Events of a run that are looked at for one within the hours of a leaderboard. */
const LATER_EVENTS_MAX = 1_000;

/**
 * Instants of the user's events after `at`, which nobody has undone, that count and are in a run,
 * the latest first.
 */
export const readLaterEvents = (
  rows: Rows,
  user: UserKey,
  { metric, counted }: { metric: number; counted: Sql },
  range: RunRange,
  at: number,
): Promise<number[]> =>
  column(rows)`
    select ${MILLISECONDS('recorded_at')} as at from (select * from ${eventsOf(user)}) as event
    where metric = ${metric} and recorded_at > ${new Date(at)}
      and ${counted} and ${isInRun(range)} and ${stillCounts('event')}
    order by recorded_at desc limit ${LATER_EVENTS_MAX}`;
