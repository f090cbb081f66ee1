import { STREAK_CANDIDATES_MAX } from '../../base/limits.ts';
import {
  GetUserStreak,
  ListStreakRankings,
  ListStreaks,
  type StreakRankings,
  type StreakResponse,
} from '../../contract/streak.ts';
import { readLongestStreaks, readStandingStreaks, type StreakRow } from '../../db/users/readStandings.ts';
import { readStreakPeriods } from '../../db/users/readUserHistory.ts';
import { recentHistory } from '../../redis/decoding/recentPeriods.ts';
import { readUserNames } from '../../redis/state/currentStates.ts';
import { localTime, periodOf } from '../../rules/calendar.ts';
import { streakAliveSince } from '../../rules/streakAlive.ts';
import { shownPeriods, streakInForce, userStreakView } from '../../views/streakView.ts';
import { type Caller, endpoint, ok } from '../request/endpoint.ts';
import { readUsers } from '../users/userHandlers.ts';
import { beginReading, type UserReading } from '../users/userReading.ts';

/** Known users, longest streak first; equal streaks in the order of the request. */
export const listStreaks = endpoint(ListStreaks, async ({ service, rules, query }) => {
  const userIds = [...new Set(query.userIds)];
  const found = await readUsers({ service, rules }, userIds);
  const streaks = found.flatMap((changed, i) => {
    if (changed === null) return [];
    const { length, extendedAt } = streakInForce(changed.rules, changed.user);
    const extended = extendedAt === 0 ? null : new Date(extendedAt);
    return [{ userId: userIds[i]!, streakLength: length, extended }];
  });
  return ok(streaks.sort((a, b) => b.streakLength - a.streakLength));
});

export const listStreakRankings = endpoint(ListStreakRankings, async (call) => {
  const { limit, type } = call.query;
  return ok(await (type === 'longest' ? rankLongest(call, limit) : rankActive(call, limit)));
});

async function rankLongest({ service, rules }: Caller, limit: number): Promise<StreakRankings> {
  const { tenant } = rules;
  const { frequency } = rules.config.streak;
  const longest = await service.history.read(tenant, (rows) =>
    readLongestStreaks(rows, tenant, frequency, limit),
  );
  const userIds = longest.map(({ userId }) => userId);
  const names = await readUserNames(service.redis, tenant, service.cells, userIds);
  return longest.map(({ userId, length }, i) => ({ userId, name: names[i] ?? null, streakLength: length }));
}

/** Candidates that one read fetches in addition to the number requested. */
const CANDIDATES_EXTRA = 20;

/**
 * The history knows the length of each streak at the last change of its user. Only the user's state tells
 * whether it still holds. So candidates are checked, longest first, until there are enough, or until
 * STREAK_CANDIDATES_MAX have been checked.
 */
async function rankActive({ service, rules }: Caller, limit: number): Promise<StreakRankings> {
  const { tenant } = rules;
  const { streak } = rules.config;
  const { frequency } = streak;
  const since = streakAliveSince(streak, periodOf(localTime('UTC', service.clock.now()), frequency));
  if (since === null) return [];
  const count = limit + CANDIDATES_EXTRA;
  const ranked: StreakRankings = [];
  let last: StreakRow | null = null;
  let checked = 0;
  do {
    const candidates = await service.history.read(tenant, (rows) =>
      readStandingStreaks(rows, tenant, frequency, since, last, count),
    );
    const userIds = candidates.map(({ userId }) => userId);
    const users = await readUsers({ service, rules }, userIds);
    users.forEach((found, i) => {
      const streakLength = found ? streakInForce(rules, found.user).length : 0;
      if (found && streakLength > 0)
        ranked.push({ userId: userIds[i]!, name: found.user.name, streakLength });
    });
    checked += candidates.length;
    last = candidates.length < count ? null : candidates.at(-1)!;
  } while (last !== null && ranked.length < limit && checked < STREAK_CANDIDATES_MAX);
  return ranked.sort((a, b) => b.streakLength - a.streakLength).slice(0, limit);
}

export const getUserStreak = endpoint(GetUserStreak, async (call) => {
  return ok(await userStreak(await beginReading(call), call.query.historyPeriods));
});

/** The streak of a user with its latest periods. */
export async function userStreak(
  { service, userId, user, rules, now }: UserReading,
  periods: number,
): Promise<StreakResponse> {
  const { frequency } = rules.config.streak;
  const time = localTime(user.tz ?? rules.config.settings.defaultTimeZone, now);
  const span = shownPeriods(rules, time, periods);
  const key = { tenant: rules.tenant, userId };
  const history =
    recentHistory(user.recentPeriods, frequency, span) ??
    (await service.history.readUser(key, (rows) =>
      readStreakPeriods(rows, key, frequency, span.first, span.last),
    ));
  return userStreakView(rules, user, time, periods, history);
}
