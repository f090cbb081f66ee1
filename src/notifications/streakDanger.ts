import type { NoticeFacts } from '../db/deliveries/notificationDeliveries.ts';
import type { UserState } from '../redis/state/userState.ts';
import { periodDays } from '../rules/calendar.ts';
import type { Frequency } from '../rules/config.ts';
import { isDayOff } from '../rules/daysOff.ts';
import type { Rules } from '../rules/rules.ts';
import { streakInForce } from '../views/streakView.ts';

/**
 * Whether a reminder is still needed: the streak will be lost unless the user extends it in the period of the
 * reminder (endsWith in lua/includes/notices.lua). The user must be settled: a streak that can still be
 * saved, in whatever time zone, has a length.
 * @param isSkipped see Recipient; the streak may be lost by now
 */
export function isInDanger(
  rules: Rules,
  user: UserState,
  { frequency, period }: Pick<NoticeFacts, 'frequency' | 'period'>,
  isSkipped: boolean,
): boolean {
  if (frequency !== rules.config.streak.frequency) return false;
  const { length, lastPeriod, daysOff } = streakInForce(rules, user);
  // It may have become a day off since the reminder was planned. Only daily streaks have them.
  if (isDayOff(daysOff, period!)) return false;
  if (isSkipped) return lastPeriod < period!;
  return length > 0 && lastPeriod < period! && user.freezes === 0 && !isPaused(user, frequency, period!);
}

function isPaused({ pauses }: UserState, frequency: Frequency, period: number): boolean {
  const { start, end } = periodDays(frequency, period);
  return pauses.some((pause) => pause.start <= end && pause.end >= start);
}
