import type { StreakSettings } from './config.ts';

/**
 * Weekdays on which a daily streak needs nothing: 0 is Sunday, 6 is Saturday. As a mask, Sunday is the lowest
 * bit.
 */
export const daysOffMask = (weekdays: readonly number[]): number =>
  weekdays.reduce((mask, weekday) => mask | (1 << weekday), 0);

export const weekdaysOf = (mask: number): number[] =>
  [0, 1, 2, 3, 4, 5, 6].filter((weekday) => mask & (1 << weekday));

/** Of the tenant. Only daily streaks have days off. */
export const tenantDaysOff = ({ frequency, daysOff }: StreakSettings): number =>
  frequency === 'daily' ? daysOffMask(daysOff) : 0;

/** Whether users' own days off replace those of the tenant. */
export const mayChooseDaysOff = ({ frequency, customizationEnabled }: StreakSettings): boolean =>
  frequency === 'daily' && customizationEnabled;

/** Those in force for a user. */
export function daysOffOf(settings: StreakSettings, preferences: { streakDaysOff?: number } | null): number {
  const own = mayChooseDaysOff(settings) ? preferences?.streakDaysOff : undefined;
  return own ?? tenantDaysOff(settings);
}

/** Whether a local day is one of the weekdays of the mask. 1970-01-01, day 0, was a Thursday. */
export const isDayOff = (mask: number, day: number): boolean => (mask & (1 << ((day + 4) % 7))) !== 0;

/** The first day that counts from `day` on. At least one weekday counts. */
export function nextDayThatCounts(mask: number, day: number): number {
  let next = day;
  while (isDayOff(mask, next)) next++;
  return next;
}
