import type { UserState } from '../redis/decoding/userState.ts';
import { localTime } from '../rules/calendar.ts';
import type { Achievement, RecapFrequency } from '../rules/config.ts';
import type { Rules } from '../rules/inForce/rules.ts';
import { streakInForce, streakView } from '../views/streakView.ts';
import type { ShownAchievement, ShownTotal, UserVariables } from './variables.ts';

export const PERIOD_NAMES: Record<RecapFrequency, string> = {
  daily: 'day',
  weekly: 'week',
  monthly: 'month',
  yearly: 'year',
};

export function zoneOf(rules: Rules, user: UserState): string {
  return user.tz ?? rules.config.settings.defaultTimeZone;
}

/** Template variables of a user at `now` (ms). */
export function userVariables(rules: Rules, userId: string, user: UserState, now: number): UserVariables {
  const { config } = rules;
  const { frequency } = config.streak;
  const { day } = localTime(zoneOf(rules, user), now);
  const { length, expires } = streakView(frequency, streakInForce(rules, user), day);
  const attributes: Record<string, string> = {};
  for (const { key, no } of rules.userAttributeByKey.values()) {
    const value = user.attributes.get(no);
    if (value !== undefined) attributes[key] = value;
  }
  return {
    user: { id: userId, name: user.name, email: user.email, tz: user.tz, attributes },
    streak: { length, frequency, unit: PERIOD_NAMES[frequency], expires },
    metrics: Object.fromEntries(
      config.metrics.map((metric) => [metric.key, user.counters.get(rules.counterOf(metric.id).no) ?? 0]),
    ),
    points: Object.fromEntries(
      config.pointsSystems.map((system) => [system.key, user.points.get(system.no) ?? 0]),
    ),
    branding: config.settings.branding,
  };
}

export function shownAchievement({ key, name, description, badgeUrl }: Achievement): ShownAchievement {
  return { key, name, description, badgeUrl };
}

/** Totals of metrics and points systems that are not 0. */
export function totalsOf({ config }: Rules, { metrics, points }: UserVariables): ShownTotal[] {
  const shown = [
    ...config.metrics.map(({ key, name, units }) => ({ key, name, units, total: metrics[key] ?? 0 })),
    ...config.pointsSystems.map(({ key, name }) => ({ key, name, units: '', total: points[key] ?? 0 })),
  ];
  return shown.filter(({ total }) => total !== 0);
}
