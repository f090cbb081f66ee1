import { periodOfDay, startOfLocalDay } from './calendar.ts';
import type { Frequency } from './config.ts';
import type { Completion } from './followStreak.ts';

/** The conditions of the user's streak. */
export interface StreakConditions {
  any: boolean;
  thresholds: ReadonlyMap<number, number>;
}

/** The sum of a metric on a local day. */
export interface DaySum {
  metric: number;
  day: number;
  sum: number;
}

/** The periods in which the conditions are met, and when: at the end of the first day on which they are. */
export function completedPeriods(
  frequency: Frequency,
  sums: readonly DaySum[],
  { any, thresholds }: StreakConditions,
  zone: string,
): Map<number, Completion> {
  const completed = new Map<number, Completion>();
  let period = Number.NaN;
  let reached = new Map<number, number>();
  for (const { metric, day, sum } of sums.toSorted((a, b) => a.day - b.day)) {
    if (periodOfDay(frequency, day) !== period) {
      period = periodOfDay(frequency, day);
      reached = new Map();
    }
    reached.set(metric, (reached.get(metric) ?? 0) + sum);
    const met = [...thresholds].filter(([no, threshold]) => (reached.get(no) ?? 0) >= threshold).length;
    if ((any ? met > 0 : met === thresholds.size) && !completed.has(period))
      completed.set(period, { day, at: startOfLocalDay(zone, day) });
  }
  return completed;
}
