import { decimalSum, percentage, withoutNoise } from '../../base/numbers.ts';
import type { WrappedResponse } from '../../contract/wrapped.ts';
import type { DayRow } from '../../db/users/readUserHistory.ts';
import type {
  AttributeRow,
  CompletionOfYearRow,
  LongestStreakRow,
  RankedRow,
  RankOnDayRow,
} from '../../db/users/readWrapped.ts';
import type { UserState } from '../../redis/state/userState.ts';
import type { Activity, DaySpan } from '../../rules/activity.ts';
import { dateOfDay, monthOfDay, periodDays } from '../../rules/calendar.ts';
import type { Metric } from '../../rules/config.ts';
import type { Rules } from '../../rules/rules.ts';
import { achievementView, boardView } from '../../views/entityViews.ts';
import { runOn } from '../leaderboards/leaderboardHandlers.ts';

type WrappedActivity = WrappedResponse['activity'];
type WrappedStreak = WrappedActivity['entireYear']['longestStreak'];
type ActivityPeriod = Omit<WrappedActivity['entireYear'], 'longestStreak'>;
type WrappedMetric = ActivityPeriod['metrics'][string];
type Change = Pick<WrappedMetric, 'changeThisPeriod' | 'percentChange' | 'percentileThisPeriod'>;

/** The periods that a year in review looks at: the most active day, week and month, and the whole year. */
export const PERIODS = ['day', 'week', 'month', 'year'] as const;
export type WrappedPeriod = (typeof PERIODS)[number];

/** A user's year, as it was read. Lists for the periods are in the order of PERIODS. */
export interface Year {
  user: UserState;
  /** The date of the tenant. */
  today: number;
  activity: Activity;
  spans: Record<WrappedPeriod, DaySpan>;
  metricDays: DayRow[];
  pointsDays: DayRow[];
  completions: CompletionOfYearRow[];
  ranks: RankOnDayRow[];
  longestStreak: LongestStreakRow | null;
  metricRankings: RankedRow[];
  pointsRankings: RankedRow[];
  /** Number of users that the rankings are among, the user included. */
  peers: number;
  attributes: AttributeRow[];
}

/** `WrappedActivity`. */
export function activityView(rules: Rules, year: Year): WrappedActivity {
  const { activity, spans } = year;
  return {
    daysActive: activity.daysActive,
    weeksActive: activity.weeksActive,
    monthsActive: activity.monthsActive,
    mostActiveDay: { date: dateOfDay(spans.day.from), ...periodView(rules, year, 'day') },
    mostActiveWeek: {
      start: dateOfDay(spans.week.from),
      end: dateOfDay(spans.week.to),
      ...periodView(rules, year, 'week'),
    },
    mostActiveMonth: { month: monthOfDay(spans.month.from) % 12, ...periodView(rules, year, 'month') },
    entireYear: { ...periodView(rules, year, 'year'), longestStreak: longestStreakView(rules, year) },
  };
}

/** `WrappedActivityPeriod`: whatever changed in the period. */
function periodView(rules: Rules, year: Year, period: WrappedPeriod): ActivityPeriod {
  const { from, to } = year.spans[period];
  const isIn = ({ day }: { day: number }): boolean => day >= from && day <= to;
  return {
    metrics: metricsView(rules, year, period),
    points: pointsView(rules, year, period),
    achievements: year.completions.filter(isIn).flatMap(({ achievement: no, completedAt }) => {
      const achievement = rules.findByNo('achievements', no);
      return achievement
        ? [{ ...achievementView(rules, achievement), achievedAt: completedAt.toISOString() }]
        : [];
    }),
    leaderboards: leaderboardsView(rules, year, year.ranks.filter(isIn)),
  };
}

function metricsView(rules: Rules, year: Year, period: WrappedPeriod): ActivityPeriod['metrics'] {
  const views: ActivityPeriod['metrics'] = {};
  for (const metric of rules.config.metrics) {
    const change = changeView(year.metricDays, year.metricRankings, year, metric.no, period);
    if (change === null) continue;
    views[metric.key] = {
      name: metric.name,
      units: metric.units,
      currentTotal: year.user.counters.get(rules.counterOf(metric.id).no) ?? 0,
      ...change,
      byAttribute: attributesView(rules, year, metric, period),
    };
  }
  return views;
}

function pointsView(rules: Rules, year: Year, period: WrappedPeriod): ActivityPeriod['points'] {
  const views: ActivityPeriod['points'] = {};
  for (const system of rules.config.pointsSystems) {
    const change = changeView(year.pointsDays, year.pointsRankings, year, system.no, period);
    if (change === null) continue;
    views[system.key] = {
      name: system.name,
      description: system.description,
      currentTotal: year.user.points.get(system.no) ?? 0,
      ...change,
    };
  }
  return views;
}

/** Null when nothing happened. A day is too short for a percentile. */
function changeView(
  days: DayRow[],
  rankings: RankedRow[],
  year: Year,
  no: number,
  period: WrappedPeriod,
): Change | null {
  const { from, to } = year.spans[period];
  let before = 0;
  let change = 0;
  let hasAny = false;
  for (const day of days) {
    if (day.no !== no) continue;
    if (day.day < from) before = decimalSum(before, day.change);
    else if (day.day <= to) {
      change = decimalSum(change, day.change);
      hasAny = true;
    }
  }
  if (!hasAny) return null;
  const ranked = period === 'day' ? undefined : rankings.find((row) => row.no === no);
  return {
    changeThisPeriod: change,
    percentChange: percentChange(before, change),
    ...(ranked && { percentileThisPeriod: percentile(ranked, PERIODS.indexOf(period), change, year.peers) }),
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
  rules: Rules,
  year: Year,
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
function leaderboardsView(rules: Rules, year: Year, ranks: RankOnDayRow[]): ActivityPeriod['leaderboards'] {
  const views: ActivityPeriod['leaderboards'] = {};
  for (const { leaderboard: no, run, rank, value } of ranks) {
    const board = rules.findByNo('leaderboards', no);
    if (board === null || board.status === 'inactive') continue;
    views[board.key] = { ...boardView(rules, board, runOn(board, run), year.today), rank, value };
  }
  return views;
}

/** `WrappedStreak`; the period is the one in which it became so long. */
function longestStreakView(rules: Rules, { longestStreak: longest }: Year): WrappedStreak {
  const { frequency } = rules.config.streak;
  if (longest === null) return { length: 0, frequency, periodStart: null, periodEnd: null, started: null };
  const { start, end } = periodDays(frequency, longest.period);
  return {
    length: longest.length,
    frequency,
    periodStart: dateOfDay(start),
    periodEnd: dateOfDay(end),
    started: longest.started === null ? null : dateOfDay(longest.started),
  };
}
