import type { UserState } from '../redis/userState.ts';
import { dateOfDay, localTime, periodDays } from '../rules/calendar.ts';
import type { Frequency, RecapFrequency } from '../rules/config.ts';
import type { Rules } from '../rules/rules.ts';
import type { ShownTotal, UserVariables } from './variables.ts';

export const PERIOD_NAMES: Record<RecapFrequency, string> = {
  daily: 'day',
  weekly: 'week',
  monthly: 'month',
  yearly: 'year',
};

/** The zone that holds for a user. */
export function zoneOf(rules: Rules, user: UserState): string {
  return user.tz ?? rules.config.settings.defaultTimeZone;
}

/** What templates may name of a user at `now` (ms). */
export function userVariables(rules: Rules, userId: string, user: UserState, now: number): UserVariables {
  const { config } = rules;
  const { frequency } = config.streak;
  const { length, lastPeriod } = user.streaks[frequency];
  const attributes: Record<string, string> = {};
  for (const { key, no } of rules.userAttributeByKey.values()) {
    const value = user.attributes.get(no);
    if (value !== undefined) attributes[key] = value;
  }
  const expires = length === 0 ? null : expiryOf(frequency, lastPeriod, localTime(zoneOf(rules, user), now).day);
  return {
    user: { id: userId, name: user.name, email: user.email, tz: user.tz, attributes },
    streak: { length, frequency, unit: PERIOD_NAMES[frequency], expires },
    metrics: Object.fromEntries(
      config.metrics.map((metric) => [metric.key, user.counters.get(rules.counterOf(metric.id).no) ?? 0]),
    ),
    points: Object.fromEntries(config.pointsSystems.map((system) => [system.key, user.points.get(system.no) ?? 0])),
    branding: config.settings.branding,
  };
}

/** As streaks are shown (src/views/streak.ts). */
function expiryOf(frequency: Frequency, lastPeriod: number, day: number): string {
  return dateOfDay(Math.max(day, periodDays(frequency, lastPeriod + 1).end));
}

/** Totals of metrics and points systems, those that are not 0. */
export function totalsOf({ config }: Rules, { metrics, points }: UserVariables): ShownTotal[] {
  const shown = [
    ...config.metrics.map(({ key, name, units }) => ({ key, name, units, total: metrics[key] ?? 0 })),
    ...config.pointsSystems.map(({ key, name }) => ({ key, name, units: '', total: points[key] ?? 0 })),
  ];
  return shown.filter(({ total }) => total !== 0);
}
