import { frequencyNo } from '../../rules/calendar.ts';
import type { Frequency } from '../../rules/config.ts';
import type { StreakPeriod, StreakPeriods } from '../../rules/streakHistory.ts';
import { MADE_GOOD_BY, RECENT_PERIODS } from '../lua/scriptConstants.ts';

const { count, kinds } = RECENT_PERIODS;

/** Digits of a number, and their base: characters that UTF-8 has in one byte. */
const DIGITS = 4;
const BASE = 128;

/** The latest periods of a streak as the history has them. */
export interface RecentPeriods {
  /** Number of the frequency of the streak in force when they were recorded; 0 before that. */
  frequency: number;
  /** From this period on, they are complete. */
  from: number;
  /** As lua/includes/recentPeriods.lua writes them. */
  packed: string;
}

/** What is known of the history from the period `first` on; `last` is the last period with a slot. */
interface KnownPeriods {
  first: number;
  last: number;
  /** Those of which the history has a row, in order. */
  periods: StreakPeriod[];
}

export function knownPeriods({ from, packed }: RecentPeriods): KnownPeriods {
  if (packed === '') return { first: from, last: from - 1, periods: [] };
  const numberAt = (at: number): number => {
    let number = 0;
    for (let i = at * DIGITS; i < (at + 1) * DIGITS; i++) number = number * BASE + packed.charCodeAt(i);
    return number;
  };
  const last = numberAt(0);
  const first = Math.max(from, last - count + 1);
  const periods: StreakPeriod[] = [];
  for (let period = first; period <= last; period++) {
    const slot = numberAt(count - last + period);
    if (slot === 0) continue;
    const length = Math.floor((slot - 1) / kinds);
    periods.push({ period, length, madeGoodBy: MADE_GOOD_BY.get((slot - 1) % kinds) ?? null });
  }
  return { first, last, periods };
}

/**
 * What the history has from the period `first` to `last`; null if only the history tells.
 * @param last the present period
 */
export function recentHistory(
  recent: RecentPeriods,
  frequency: Frequency,
  { first, last }: { first: number; last: number },
): StreakPeriods | null {
  if (first > last) return { extensions: [], resets: [] };
  if (recent.frequency !== frequencyNo(frequency) || recent.from > first) return null;
  const known = knownPeriods(recent);
  // A user who has moved west may have a period that has not begun there.
  if (known.first > first || known.last > last) return null;
  return { extensions: known.periods.filter(({ period }) => period >= first), resets: [] };
}
