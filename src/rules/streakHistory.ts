import { periodDays, periodOfDay } from './calendar.ts';
import type { Frequency } from './config.ts';

/** What kept a streak in a missed period. */
export type MadeGoodBy = 'freeze' | 'pause' | 'dayOff';

/** What a period did to a streak. */
export interface StreakPeriod {
  period: number;
  /** After the period. */
  length: number;
  /** What kept the streak in a missed period; null if the period extended it. */
  madeGoodBy: MadeGoodBy | null;
}

/** A period in which an administrator ended the streak; the last time counts. */
export interface StreakReset {
  period: number;
  resetAt: Date;
}

/** Periods that the history knows: those that extended or kept a streak, and those of resets. */
export interface StreakPeriods {
  extensions: readonly StreakPeriod[];
  resets: readonly StreakReset[];
}

/** A streak as it is now, and the pauses of its user; days and periods are ordinals. */
export interface KeptStreak {
  length: number;
  firstDay: number;
  lastPeriod: number;
  pauses: { start: number; end: number }[];
  /** From this period on, the history has the streak. */
  recordedFrom: number;
}

/** Whether a pause covers a part of a period. */
export function isPausedIn(
  pauses: readonly { start: number; end: number }[],
  frequency: Frequency,
  period: number,
): boolean {
  const { start, end } = periodDays(frequency, period);
  return pauses.some((pause) => pause.start <= end && pause.end >= start);
}

/**
 * Adds the periods that a streak that goes on kept before the history recorded it: the history has only the
 * frequency in force, but all frequencies are tracked, and an imported streak brings no periods. Each of them
 * extended the streak, or a pause kept it.
 * @param recorded what the history knows from the period `first` on
 */
export function withEarlierPeriods(
  recorded: readonly StreakPeriod[],
  frequency: Frequency,
  first: number,
  streak: KeptStreak,
): StreakPeriod[] {
  if (streak.length === 0 || first >= streak.recordedFrom) return [...recorded];
  const from = periodOfDay(frequency, streak.firstDay);
  const known = new Map(recorded.map((row) => [row.period, row]));
  let left = streak.length;
  let paused: Set<number> | null = null;
  const earlier: StreakPeriod[] = [];
  for (let period = streak.lastPeriod; period >= Math.max(first, from) && left > 0; period--) {
    const row = known.get(period);
    if (row !== undefined) {
      left = row.length - Number(row.madeGoodBy === null);
    } else if (period < streak.recordedFrom) {
      paused ??= pausedPeriods(streak.pauses, frequency, { from, last: period }, period - from + 1 - left);
      const isPaused = paused.has(period);
      earlier.push({ period, length: left, madeGoodBy: isPaused ? 'pause' : null });
      if (!isPaused) left--;
    }
  }
  return [...earlier.reverse(), ...recorded];
}

/**
 * The periods of a streak that pauses kept: as many as did not extend it, since an event may extend it in a
 * period that is paused in part. The first one extended it.
 */
function pausedPeriods(
  pauses: KeptStreak['pauses'],
  frequency: Frequency,
  { from, last }: { from: number; last: number },
  count: number,
): Set<number> {
  if (count <= 0) return new Set();
  const periods = Array.from({ length: last - from }, (_, i) => last - i);
  const touched = periods.filter((period) => isPausedIn(pauses, frequency, period));
  const isWhole = (period: number): boolean => {
    const { start, end } = periodDays(frequency, period);
    return pauses.some((pause) => pause.start <= start && pause.end >= end);
  };
  const wholeFirst = touched.toSorted((a, b) => Number(isWhole(b)) - Number(isWhole(a)));
  return new Set(wholeFirst.slice(0, count));
}
