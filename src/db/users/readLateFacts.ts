import type { Frequency } from '../../rules/config.ts';
import type { EarnedFreezes, RecordedLoss, RecordedPeriod } from '../../rules/followStreak.ts';
import type { StreakRecords } from '../../rules/lateStreaks.ts';
import type { RunRange } from '../../rules/runZones.ts';
import type { Rows, Statement } from '../rows.ts';
import { MILLISECONDS, ORDINAL } from '../sql.ts';
import { EVENTS_OF_USER, isInRun, rangeValues, stillCounts } from './userEvents.ts';
import type { UserKey } from './userMap.ts';

/* What the history knows that an event of the past may change. */

const PERIODS: Statement = {
  name: 'periods after a late event',
  text: `select period, length, ${ORDINAL('local_date')} as day, ${MILLISECONDS('extended_at')} as at,
      made_good_by as "madeGoodBy"
    from streak_extensions where tenant = $1 and user_id = $2 and frequency = $3 and period >= $4 order by period`,
};

const LOSSES: Statement = {
  name: 'losses after a late event',
  text: `select period, length, ${MILLISECONDS('lost_at')} as "lostAt" from streak_losses
    where tenant = $1 and user_id = $2 and frequency = $3 and period >= $4 order by period`,
};

const RESETS: Statement = {
  name: 'resets after a late event',
  text: `select period, ${MILLISECONDS('reset_at')} as "resetAt" from streak_resets
    where tenant = $1 and user_id = $2 and frequency = $3 and period >= $4`,
};

const EARLIER: Statement = {
  name: 'streak before a late event',
  text: `select ${ORDINAL('local_date')} as "firstDay" from streak_extensions
    where tenant = $1 and user_id = $2 and frequency = $3 and period < $4 and made_good_by is null
    order by length = 1 desc, period desc limit 1`,
};

const EARNED: Statement = {
  name: 'freezes earned after a late event',
  text: `select ${MILLISECONDS('earned_at')} as at, freezes from earned_freezes
    where tenant = $1 and user_id = $2 and earned_at > $3`,
};

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
  const range = [tenant, userId, frequency, from - 1];
  const recorded = await rows<RecordedPeriod>(PERIODS, range);
  const losses = await rows<RecordedLoss>(LOSSES, range);
  const resets = await rows<{ period: number; resetAt: number }>(RESETS, range);
  const [earlier] = await rows<{ firstDay: number }>(EARLIER, [tenant, userId, frequency, from]);
  const earned = await rows<EarnedFreezes>(EARNED, [tenant, userId, new Date(startMs)]);
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

const LATER_EVENTS: Statement = {
  name: 'events after a late event',
  text: `select ${MILLISECONDS('recorded_at')} as at from (select * from ${EVENTS_OF_USER}) as event
    where metric = $3 and recorded_at > $4 and coalesce(attributes, '{}') @> $5
      and ${isInRun(6)} and ${stillCounts('event')}
    order by recorded_at desc limit $10`,
};

/** Events of a run that are looked at for one within the hours of a leaderboard. */
const LATER_EVENTS_MAX = 1_000;

/**
 * Instants of the user's events after `at`, which nobody has undone, that a leaderboard may count in a run,
 * the latest first.
 */
export async function readLaterEvents(
  rows: Rows,
  { tenant, userId }: UserKey,
  board: { metric: number; attributes: Record<number, string> },
  range: RunRange,
  at: number,
): Promise<number[]> {
  const later = await rows<{ at: number }>(LATER_EVENTS, [
    tenant,
    userId,
    board.metric,
    new Date(at),
    JSON.stringify(board.attributes),
    ...rangeValues(range),
    LATER_EVENTS_MAX,
  ]);
  return later.map((event) => event.at);
}
