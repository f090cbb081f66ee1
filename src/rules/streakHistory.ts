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
 * Adds the periods that a streak that goes on kept before its frequency came into force: the history records
 * only the frequency in force, but all frequencies are tracked. Each of them extended the streak, or a pause
 * kept it.
 * @param recorded what the history knows from the period `first` on
 */
export function withEarlierPeriods(
  recorded: readonly StreakPeriod[],
  frequency: Frequency,
  first: number,
  streak: KeptStreak,
): StreakPeriod[] {
  if (streak.length === 0) return [...recorded];
  const from = periodOfDay(frequency, streak.firstDay);
  const begin = Math.max(first, from);
  const known = recorded.filter(({ period }) => period >= begin);
  const oldest = known.reduce<StreakPeriod | null>(
    (a, b) => (a === null || b.period < a.period ? b : a),
    null,
  );
  let left = oldest === null ? streak.length : oldest.length - (oldest.madeGoodBy === null ? 1 : 0);
  const last = (oldest?.period ?? streak.lastPeriod + 1) - 1;
  const paused = pausedPeriods(streak.pauses, frequency, { from, last }, last - from + 1 - left);
  const earlier: StreakPeriod[] = [];
  for (let period = last; period >= begin && left > 0; period--) {
    const isPaused = paused.has(period);
    earlier.push({ period, length: left, madeGoodBy: isPaused ? 'pause' : null });
    if (!isPaused) left--;
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
