import { decimalSum, percentage, withoutNoise } from '../../base/numbers.ts';
import { GetUserWrapped, type WrappedResponse } from '../../contract/wrapped.ts';
import type { RankedRow } from '../../db/users/readWrapped.ts';
import type { UserState } from '../../redis/decoding/userState.ts';
import { sampleUsers } from '../../redis/state/statistics.ts';
import { yearSpan } from '../../rules/activity.ts';
import { dateOfDay, localTime, monthOfDay, periodDays } from '../../rules/calendar.ts';
import type { Metric } from '../../rules/config.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { achievementView, boardView } from '../../views/entityViews.ts';
import { userView } from '../../views/userView.ts';
import { defaultDay, runOn } from '../leaderboards/leaderboardHandlers.ts';
import { endpoint, ok } from '../request/endpoint.ts';
import { readPathUser } from '../users/userHandlers.ts';
import { PERIODS, readYear, type WrappedPeriod, type Year } from './wrappedYear.ts';

/** Approximate number of users that a year in review is compared with. */
const WRAPPED_PEERS_MAX = 1_000;

type EntireYear = WrappedResponse['activity']['entireYear'];
type ActivityPeriod = Omit<EntireYear, 'longestStreak'>;
type WrappedMetric = ActivityPeriod['metrics'][string];
type Change = Pick<WrappedMetric, 'changeThisPeriod' | 'percentChange' | 'percentileThisPeriod'>;

interface Reviewed {
  rules: Rules;
  user: UserState;
  today: number;
  year: Year;
}

/** The user's current year by default. */
export const getUserWrapped = endpoint(GetUserWrapped, async (call) => {
  const { service, path, query } = call;
  const userId = path.id;
  const { user, rules, now } = await readPathUser(call);
  const { day } = localTime(user.tz ?? rules.config.settings.defaultTimeZone, now);
  const span = yearSpan(query.year ?? Number(dateOfDay(day).slice(0, 4)));
  const peers = await sampleUsers(service.redis, rules.tenant, service.cells, WRAPPED_PEERS_MAX);
  const userIds = [...new Set([...peers, userId])];
  const year = await service.history.read(rules.tenant, (rows) =>
    readYear(rows, rules, userId, span, userIds),
  );
  const reviewed = { rules, user, today: defaultDay(rules, now), year };
  return ok({ user: userView(rules, userId, user), activity: activityView(reviewed) });
});

function activityView(reviewed: Reviewed): WrappedResponse['activity'] {
  const { activity, spans } = reviewed.year;
  const [start, end] = [dateOfDay(spans.week.from), dateOfDay(spans.week.to)];
  return {
    daysActive: activity.daysActive,
    weeksActive: activity.weeksActive,
    monthsActive: activity.monthsActive,
    mostActiveDay: { date: dateOfDay(spans.day.from), ...periodView(reviewed, 'day') },
    mostActiveWeek: { start, end, ...periodView(reviewed, 'week') },
    mostActiveMonth: { month: monthOfDay(spans.month.from) % 12, ...periodView(reviewed, 'month') },
    entireYear: { ...periodView(reviewed, 'year'), longestStreak: longestStreakView(reviewed) },
  };
}

/** `WrappedActivityPeriod`: whatever changed in the period. */
function periodView(reviewed: Reviewed, period: WrappedPeriod): ActivityPeriod {
  const { rules, user, year } = reviewed;
  const { from, to } = year.spans[period];
  const isIn = ({ day }: { day: number }): boolean => day >= from && day <= to;
  return {
    metrics: changedView(rules.config.metrics, year.metrics, year, period, (metric, change) => ({
      name: metric.name,
      units: metric.units,
      currentTotal: user.counters.get(rules.counterOf(metric.id).no) ?? 0,
      ...change,
      byAttribute: attributesView(reviewed, metric, period),
    })),
    points: changedView(rules.config.pointsSystems, year.points, year, period, (system, change) => ({
      name: system.name,
      description: system.description,
      currentTotal: user.points.get(system.no) ?? 0,
      ...change,
    })),
    achievements: year.completions.filter(isIn).flatMap(({ achievement: no, completedAt }) => {
      const achievement = rules.findByNo('achievements', no);
      return achievement
        ? [{ ...achievementView(rules, achievement), achievedAt: completedAt.toISOString() }]
        : [];
    }),
    leaderboards: leaderboardsView(reviewed, year.ranks.filter(isIn)),
  };
}

/** By key; entities of which nothing happened are absent. */
function changedView<E extends { key: string; no: number }, V>(
  entities: readonly E[],
  history: Year['metrics'],
  year: Year,
  period: WrappedPeriod,
  view: (entity: E, change: Change) => V,
): Record<string, V> {
  return Object.fromEntries(
    entities.flatMap((entity) => {
      const change = changeView(history, year, entity.no, period);
      return change === null ? [] : [[entity.key, view(entity, change)]];
    }),
  );
}

/** Null when nothing happened. A day is too short for a percentile. */
function changeView(
  { days, rankings }: Year['metrics'],
  { spans, peers }: Year,
  no: number,
  period: WrappedPeriod,
): Change | null {
  const { from, to } = spans[period];
  const sumOf = (found: typeof days): number => found.reduce((sum, { change }) => decimalSum(sum, change), 0);
  const own = days.filter((row) => row.no === no);
  const within = own.filter(({ day }) => day >= from && day <= to);
  if (within.length === 0) return null;
  const before = sumOf(own.filter(({ day }) => day < from));
  const change = sumOf(within);
  const ranked = period === 'day' ? undefined : rankings.find((row) => row.no === no);
  return {
    changeThisPeriod: change,
    percentChange: percentChange(before, change),
    ...(ranked && { percentileThisPeriod: percentile(ranked, PERIODS.indexOf(period), change, peers) }),
  };
}

/** Against the total at the start of the period; from nothing to something is 100 %. */
function percentChange(before: number, change: number): number {
  return before === 0 ? 100 * Math.sign(change) : percentage(change, Math.abs(before));
}

/** The percentage of users who did not do more in the period, the user among them: 100 is the best. */
function percentile({ active, ahead }: RankedRow, at: number, change: number, peers: number): number {
  const idleAhead = change < 0 ? peers - active : 0;
  return percentage(peers - ahead[at]! - idleAhead, peers);
}

/** Attribute key → value → what changed for it. */
function attributesView(
  { rules, year }: Reviewed,
  metric: Metric,
  period: WrappedPeriod,
): WrappedMetric['byAttribute'] {
  const at = PERIODS.indexOf(period);
  // Values are anything that events carried, also names that objects inherit.
  const byKey: WrappedMetric['byAttribute'] = {};
  for (const row of year.attributes) {
    const attribute = rules.findByNo('attributes', row.attribute);
    if (row.metric !== metric.no || attribute === null || !row.occurred[at]) continue;
    byKey[attribute.key] ??= Object.create(null);
    byKey[attribute.key]![row.value] = {
      name: metric.name,
      units: metric.units,
      currentTotal: withoutNoise(row.total),
      changeThisPeriod: withoutNoise(row.change[at]!),
      percentChange: percentChange(row.before[at]!, row.change[at]!),
    };
  }
  return byKey;
}

/** `UserLeaderboardResponse` by key: where the last change of the period came to. */
function leaderboardsView({ rules, today }: Reviewed, ranks: Year['ranks']): ActivityPeriod['leaderboards'] {
  const views: ActivityPeriod['leaderboards'] = {};
  for (const { leaderboard: no, run, rank, value } of ranks) {
    const board = rules.findByNo('leaderboards', no);
    if (board === null || board.status === 'inactive') continue;
    views[board.key] = { ...boardView(rules, board, runOn(board, run), today), rank, value };
  }
  return views;
}

/** The period is the one in which the streak became so long. */
function longestStreakView({ rules, year: { longestStreak } }: Reviewed): EntireYear['longestStreak'] {
  const { frequency } = rules.config.streak;
  if (longestStreak === null)
    return { length: 0, frequency, periodStart: null, periodEnd: null, started: null };
  const { length, period, started } = longestStreak;
  const { start, end } = periodDays(frequency, period);
  return {
    length,
    frequency,
    periodStart: dateOfDay(start),
    periodEnd: dateOfDay(end),
    started: started === null ? null : dateOfDay(started),
  };
}
