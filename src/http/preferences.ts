import {
  type GetUserPreferences,
  NOTIFICATION_TYPES,
  type UpdateUserPreferences,
  type UserPreferencesResponse,
} from '../contract/preferences.ts';
import type { ChangedUser } from '../redis/userChanges.ts';
import { type Answer, type Call, ok } from './endpoint.ts';
import { readPathUser } from './users.ts';

/** GET /users/{id}/preferences */
export async function getUserPreferences(
  call: Call<typeof GetUserPreferences>,
): Promise<Answer<typeof GetUserPreferences>> {
  return ok(preferencesView(await readPathUser(call)));
}

/** PATCH /users/{id}/preferences: what is passed replaces (spec: Notification preferences). */
export async function updateUserPreferences({
  service,
  rules,
  path,
  body,
}: Call<typeof UpdateUserPreferences>): Promise<Answer<typeof UpdateUserPreferences>> {
  return ok(preferencesView(await service.users.prefer(rules, path.id, body)));
}

/** What the user has set; a streak of one's own only where the tenant allows it. */
function preferencesView({ user, rules }: ChangedUser): UserPreferencesResponse {
  const { streakEnabled, streakMode, streakMetrics, ...set } = user.preferences ?? {};
  const notifications = Object.fromEntries(
    NOTIFICATION_TYPES.filter((type) => set[type]).map((type) => [type, set[type]]),
  );
  const hasStreak = [streakEnabled, streakMode, streakMetrics].some((value) => value !== undefined);
  if (!hasStreak || !rules.config.streak.personalization) return { notifications };
  const metrics = [];
  for (let i = 0; streakMetrics && i < streakMetrics.length; i += 2) {
    // Deleted metrics are left out.
    const metric = rules.findByNo('metrics', streakMetrics[i]!);
    if (metric !== null) metrics.push({ key: metric.key, threshold: streakMetrics[i + 1]! });
  }
  return {
    notifications,
    streak: {
      enabled: streakEnabled ?? true,
      ...(streakMode && { evaluationMode: streakMode }),
      ...(metrics.length > 0 && { metrics }),
    },
  };
}
