import {
  GetUserPreferences,
  NOTIFICATION_TYPES,
  type StreakPreferences,
  UpdateUserPreferences,
  type UserPreferencesResponse,
} from '../../contract/preferences.ts';
import type { ChangedUser } from '../../engine/users/userChanges.ts';
import { weekdaysOf } from '../../rules/daysOff.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { endpoint, ok } from '../request/endpoint.ts';
import { readPathUser } from './userHandlers.ts';

export const getUserPreferences = endpoint(GetUserPreferences, async (call) => {
  return ok(preferencesView(await readPathUser(call)));
});

/** Given fields replace the stored ones. */
export const updateUserPreferences = endpoint(UpdateUserPreferences, async (call) => {
  const { service, rules, path, body } = call;
  return ok(preferencesView(await service.users.prefer(rules, path.id, body)));
});

/** The user's preferences; own streak conditions only if the tenant allows them. */
function preferencesView({ user, rules }: ChangedUser): UserPreferencesResponse {
  const { streakEnabled, streakMode, streakMetrics, streakDaysOff, isOnLeaderboards, ...set } =
    user.preferences ?? {};
  const shown: UserPreferencesResponse = {
    notifications: Object.fromEntries(
      NOTIFICATION_TYPES.filter((type) => set[type]).map((type) => [type, set[type]]),
    ),
    ...(isOnLeaderboards !== undefined && { leaderboards: { visible: isOnLeaderboards } }),
  };
  const mayChoose = rules.config.streak.customizationEnabled;
  const chosen = mayChoose
    ? { mode: streakMode, metrics: metricsView(rules, streakMetrics ?? []), daysOff: streakDaysOff }
    : {};
  if (streakEnabled === undefined && !chosen.mode && !chosen.metrics && chosen.daysOff === undefined)
    return shown;
  return {
    ...shown,
    streak: {
      enabled: streakEnabled ?? true,
      ...(chosen.mode && { evaluationMode: chosen.mode }),
      ...(chosen.daysOff !== undefined && { daysOff: weekdaysOf(chosen.daysOff) }),
      ...(chosen.metrics && { metrics: chosen.metrics }),
    },
  };
}

/** Without deleted metrics; null if none is left. */
function metricsView(rules: Rules, flat: number[]): StreakPreferences['metrics'] | null {
  const metrics = [];
  for (let i = 0; i < flat.length; i += 2) {
    const metric = rules.findByNo('metrics', flat[i]!);
    if (metric !== null) metrics.push({ key: metric.key, threshold: flat[i + 1]! });
  }
  return metrics.length > 0 ? metrics : null;
}
