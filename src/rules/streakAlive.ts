import type { StreakSettings } from './config.ts';

/** How long a streak can continue after its last period: time zones are up to 26 hours apart. */
const PERIODS_ALIVE = 3;

/**
 * The first period from which on a streak may still hold that was extended in it. Only the state of its user
 * tells whether it does. @param period the present one, in UTC
 */
export const streakAliveSince = ({ freezes }: Pick<StreakSettings, 'freezes'>, period: number): number =>
  period - PERIODS_ALIVE - (freezes?.maxCount ?? 0);
