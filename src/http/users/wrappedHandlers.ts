import { WRAPPED_ATTRIBUTE_VALUES_MAX, WRAPPED_PEERS_MAX } from '../../base/limits.ts';
import type { GetUserWrapped } from '../../contract/wrapped.ts';
import type { Rows } from '../../db/rows.ts';
import { readDays } from '../../db/users/readUserHistory.ts';
import {
  readAttributes,
  readCompletions,
  readLongestStreak,
  readRankings,
  readRanks,
} from '../../db/users/readWrapped.ts';
import { sampleUsers } from '../../redis/state/statistics.ts';
import type { UserState } from '../../redis/state/userState.ts';
import { type DaySpan, findActivity, yearSpan } from '../../rules/activity.ts';
import { dateOfDay, localTime } from '../../rules/calendar.ts';
import type { Rules } from '../../rules/rules.ts';
import { userView } from '../../views/userView.ts';
import { activityView, PERIODS, type Year } from '../history/wrappedView.ts';
import { defaultDay } from '../leaderboards/leaderboardHandlers.ts';
import { type OperationRequest, type OperationResponse, ok } from '../request/endpoint.ts';
import { readPathUser } from './userHandlers.ts';

/** GET /users/{id}/wrapped?year=; the user's current year by default. */
export async function getUserWrapped(
  call: OperationRequest<typeof GetUserWrapped>,
): Promise<OperationResponse<typeof GetUserWrapped>> {
  const { service, path, query } = call;
  const userId = path.id;
  const { user, rules, now } = await readPathUser(call);
  const { day } = localTime(user.tz ?? rules.config.settings.defaultTimeZone, now);
  const span = yearSpan(query.year ?? Number(dateOfDay(day).slice(0, 4)));
  const peers = await sampleUsers(service.redis, rules.tenant, service.cells, WRAPPED_PEERS_MAX);
  const userIds = [...new Set([...peers, userId])];
  const year = await service.history.read(rules.tenant, (rows) =>
    readYear(rows, rules, userId, user, span, userIds),
  );
  return ok({
    user: userView(rules, userId, user),
    activity: activityView(rules, { ...year, today: defaultDay(rules, now) }),
  });
}

/** A few statements: first the year, then its most active periods. */
async function readYear(
  rows: Rows,
  rules: Rules,
  userId: string,
  user: UserState,
  span: DaySpan,
  peers: string[],
): Promise<Omit<Year, 'today'>> {
  const { tenant, config } = rules;
  const key = { tenant, userId };
  const { frequency } = config.streak;
  const metrics = config.metrics.map(({ no }) => no);
  const systems = config.pointsSystems.map(({ no }) => no);
  const [metricDays, pointsDays, completions, ranks, longestStreak] = await Promise.all([
    readDays(rows, key, 'metric', metrics, span),
    readDays(rows, key, 'points', systems, span),
    readCompletions(rows, key, span),
    readRanks(rows, key, span),
    readLongestStreak(rows, key, frequency, span),
  ]);

  const events = new Map<number, number>();
  for (const { day, count } of metricDays)
    if (day >= span.from) events.set(day, (events.get(day) ?? 0) + count);
  const activity = findActivity(events, span);
  const spans = {
    day: activity.mostActiveDay,
    week: activity.mostActiveWeek,
    month: activity.mostActiveMonth,
    year: span,
  };
  const ordered = PERIODS.map((period) => spans[period]);
  const [metricRankings, pointsRankings, attributes] = await Promise.all([
    readRankings(rows, key, peers, 'metric', metrics, ordered),
    readRankings(rows, key, peers, 'points', systems, ordered),
    readAttributes(rows, key, metrics, ordered, WRAPPED_ATTRIBUTE_VALUES_MAX),
  ]);
  return {
    user,
    activity,
    spans,
    metricDays,
    pointsDays,
    completions,
    ranks,
    longestStreak,
    metricRankings,
    pointsRankings,
    peers: peers.length,
    attributes,
  };
}
