import { STREAK_LOSS_EVENTS_MAX } from '../../base/consoleLimits.ts';
import { GetStreakLoss, type StreakLoss } from '../../contract/streakLoss.ts';
import type { Rows } from '../../db/rows.ts';
import { readTimeline } from '../../db/users/readTimeline.ts';
import { type LostStreak, readDays, readLastFreeze, readLastLoss } from '../../db/users/readUserHistory.ts';
import type { UserKey } from '../../db/users/userMap.ts';
import { conditionsOf } from '../../engine/events/lateHistory.ts';
import type { ChangedUser } from '../../engine/users/userChanges.ts';
import { dateOfDay, periodDays, startOfLocalDay } from '../../rules/calendar.ts';
import type { Frequency } from '../../rules/config.ts';
import { streakInForce } from '../../views/streakView.ts';
import { namedView } from '../history/timelineView.ts';
import { endpoint, ok } from '../request/endpoint.ts';
import { readPathUser } from '../users/userHandlers.ts';

export const getStreakLoss = endpoint(GetStreakLoss, async (call) => {
  const { service, path, query } = call;
  const known = await readPathUser(call);
  const { rules, user, now } = known;
  const streak = streakInForce(rules, user);
  const userKey = { tenant: rules.tenant, userId: path.id };
  const loss = await service.history.readUser(userKey, async (rows) => {
    const found = await readLastLoss(rows, userKey, query.at === undefined ? now : Date.parse(query.at));
    return found && explain(rows, userKey, known, found);
  });
  return ok({ length: streak.length, restorable: streak.lostLength, loss });
});

const daysView = (frequency: Frequency, period: number): { start: string; end: string } => {
  const { start, end } = periodDays(frequency, period);
  return { start: dateOfDay(start), end: dateOfDay(end) };
};

async function explain(
  rows: Rows,
  userKey: UserKey,
  { rules, user }: ChangedUser,
  lost: LostStreak,
): Promise<StreakLoss> {
  const { frequency, length, lostAt } = lost;
  const { streak, settings } = rules.config;
  const timeZone = user.tz ?? settings.defaultTimeZone;
  const missed = lost.period + 1;
  const { start, end } = periodDays(frequency, missed);
  const { any, thresholds } = conditionsOf(rules, user);
  const days = await readDays(rows, userKey, 'metric', [...thresholds.keys()], { from: start, to: end });
  const reached = (metric: number): number =>
    days.filter(({ no, day }) => no === metric && day >= start).reduce((sum, { change }) => sum + change, 0);
  const lastFreeze = await readLastFreeze(rows, userKey, lost);
  const near = { from: startOfLocalDay(timeZone, start - 1), to: startOfLocalDay(timeZone, end + 2) };
  const events = await readEventsNear(rows, userKey, rules.config.metrics, near);
  return {
    lostAt: new Date(lostAt).toISOString(),
    frequency,
    length,
    timeZone,
    missed: daysView(frequency, missed),
    evaluationMode: any ? 'OR' : 'AND',
    conditions: [...thresholds].map(([metric, threshold]) => ({
      metric: namedView(rules, 'metrics', metric),
      threshold,
      reached: reached(metric),
    })),
    hasFreezes: streak.freezes !== null,
    lastFreeze: lastFreeze === null ? null : daysView(frequency, lastFreeze),
    events: events.map(({ at, no, eventId, value }) => ({
      eventId,
      at: new Date(at).toISOString(),
      metric: namedView(rules, 'metrics', no),
      value,
      counts: thresholds.has(no),
    })),
  };
}

interface NearEvent {
  at: number;
  no: number;
  eventId: string;
  value: number;
}

/** Events between two instants (ms), newest first. */
async function readEventsNear(
  rows: Rows,
  userKey: UserKey,
  metrics: readonly { no: number }[],
  { from, to }: { from: number; to: number },
): Promise<NearEvent[]> {
  const found = await readTimeline(
    rows,
    userKey,
    { metrics: metrics.map(({ no }) => no), systems: [], leaderboards: [] },
    { sources: ['event'], position: { source: 'event', at: to, key: 0 }, limit: STREAK_LOSS_EVENTS_MAX },
  );
  return found
    .filter(({ at }) => at >= from)
    .map(({ at, detail }) => ({ ...(detail as Omit<NearEvent, 'at'>), at }));
}
