import { activityReads } from './activity.ts';
import { completionReads } from './completions.ts';
import { funnelReads } from './funnel.ts';
import { leaderboardReads } from './leaderboardCounts.ts';
import { lifecycleReads } from './lifecycle.ts';
import { metricReads } from './metricCounts.ts';
import { pointsReads } from './pointsFlow.ts';
import { type FigureRead, type Figures, INTERVALS, Range } from './range.ts';
import { retentionReads } from './retention.ts';
import { streakReads, streaksAtRiskReads } from './streakCounts.ts';

/** No world has a template, so nothing is sent. */
const notificationReads = (figures: Figures): FigureRead[] =>
  INTERVALS.map((interval) => {
    const range = new Range(figures, interval);
    return { path: `notifications?${range.query}`, body: { ...range.fields, periods: [] } };
  });

/** What the analytics of the Admin API answer. */
export const figureReads = (figures: Figures): FigureRead[] => [
  ...activityReads(figures),
  ...metricReads(figures),
  ...lifecycleReads(figures),
  ...completionReads(figures),
  ...funnelReads(figures),
  ...streakReads(figures),
  ...streaksAtRiskReads(figures),
  ...pointsReads(figures),
  ...leaderboardReads(figures),
  ...retentionReads(figures),
  ...notificationReads(figures),
];
