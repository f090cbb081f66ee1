import type { Rows } from '../../db/rows.ts';
import { readDays } from '../../db/users/readUserHistory.ts';
import {
  readAttributes,
  readCompletions,
  readLongestStreak,
  readRankings,
  readRanks,
} from '../../db/users/readWrapped.ts';
import { type DaySpan, findActivity } from '../../rules/activity.ts';
import type { Rules } from '../../rules/inForce/rules.ts';

const WRAPPED_ATTRIBUTE_VALUES_MAX = 200;

/** The periods that a year in review looks at: the most active day, week and month, and the whole year. */
export const PERIODS = ['day', 'week', 'month', 'year'] as const;
export type WrappedPeriod = (typeof PERIODS)[number];

/** A user's year. Lists for the periods are in the order of PERIODS. */
export type Year = Awaited<ReturnType<typeof readYear>>;

/**
 * A few statements: first the year, then its most active periods.
 * @param peers users that the user is ranked among, the user included
 */
export async function readYear(rows: Rows, rules: Rules, userId: string, span: DaySpan, peers: string[]) {
  const { tenant, config } = rules;
  const key = { tenant, userId };
  const metrics = config.metrics.map(({ no }) => no);
  const systems = config.pointsSystems.map(({ no }) => no);
  const [metricDays, pointsDays, completions, ranks, longestStreak] = await Promise.all([
    readDays(rows, key, 'metric', metrics, span),
    readDays(rows, key, 'points', systems, span),
    readCompletions(rows, key, span),
    readRanks(rows, key, span),
    readLongestStreak(rows, key, config.streak.frequency, span),
  ]);

  const events = new Map<number, number>();
  for (const { day, count } of metricDays)
    if (day >= span.from) events.set(day, (events.get(day) ?? 0) + count);
  const activity = findActivity(events, span);
  const spans: Record<WrappedPeriod, DaySpan> = {
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
    activity,
    spans,
    completions,
    ranks,
    longestStreak,
    metrics: { days: metricDays, rankings: metricRankings },
    points: { days: pointsDays, rankings: pointsRankings },
    peers: peers.length,
    attributes,
  };
}
