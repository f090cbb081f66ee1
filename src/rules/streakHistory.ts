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

/**
 * Adds the periods that a streak kept before its frequency came into force: the history records only the
 * frequency in force, but all frequencies are tracked. A period was kept by a pause if one covers a part of
 * it, else it extended the streak.
 * @param recorded what the history knows from the period `first` on
 */
export function withEarlierPeriods(
  recorded: readonly StreakPeriod[],
  frequency: Frequency,
  first: number,
  { length, firstDay, lastPeriod, pauses }: KeptStreak,
): StreakPeriod[] {
  const begin = Math.max(first, periodOfDay(frequency, firstDay));
  const known = recorded.filter(({ period }) => period >= begin);
  const oldest = known.reduce<StreakPeriod | null>(
    (a, b) => (a === null || b.period < a.period ? b : a),
    null,
  );
  let left = oldest === null ? length : oldest.length - (oldest.madeGoodBy === null ? 1 : 0);
  const earlier: StreakPeriod[] = [];
  for (let period = (oldest?.period ?? lastPeriod + 1) - 1; period >= begin && left > 0; period--) {
    const { start, end } = periodDays(frequency, period);
    const isPaused = pauses.some((pause) => pause.start <= end && pause.end >= start);
    earlier.push({ period, length: left, madeGoodBy: isPaused ? 'pause' : null });
    if (!isPaused) left--;
  }
  return [...earlier.reverse(), ...recorded];
}
