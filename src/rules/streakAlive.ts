import type { StreakSettings } from './config.ts';

/** How long a streak can continue after its last period: time zones are up to 26 hours apart. */
const PERIODS_ALIVE = 3;

/**
 * The first period from which on a streak may still hold that was extended in it; null while streaks are
 * switched off. Only the state of its user tells whether it does. @param period the present one, in UTC
 */
export const streakAliveSince = (
  { enabled, freezes }: Pick<StreakSettings, 'enabled' | 'freezes'>,
  period: number,
): number | null => (enabled ? period - PERIODS_ALIVE - (freezes?.maxCount ?? 0) : null);
