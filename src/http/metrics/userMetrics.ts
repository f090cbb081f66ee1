import type { GetUserMetric, ListUserMetrics, MetricResponse } from '../../contract/metric.ts';
import type { UserState } from '../../redis/state/userState.ts';
import type { Metric } from '../../rules/config.ts';
import type { Rules } from '../../rules/rules.ts';
import { isShownTo, userAchievementView } from '../../views/userAchievements.ts';
import { type OperationRequest, type OperationResponse, ok } from '../request/endpoint.ts';
import { findMetric } from '../request/find.ts';
import { readPathUser } from '../users/userHandlers.ts';

/** GET /users/{id}/metrics */
export async function listUserMetrics(
  call: OperationRequest<typeof ListUserMetrics>,
): Promise<OperationResponse<typeof ListUserMetrics>> {
  const { user, rules } = await readPathUser(call);
  return ok(rules.config.metrics.map((metric) => metricView(rules, metric, user)));
}

/** GET /users/{id}/metrics/{key} */
export async function getUserMetric(
  call: OperationRequest<typeof GetUserMetric>,
): Promise<OperationResponse<typeof GetUserMetric>> {
  const { user, rules } = await readPathUser(call);
  return ok(metricView(rules, findMetric(rules, call.path.key), user));
}

/** `MetricResponse`: the user's total, and the achievements of the metric with the instants of completion. */
function metricView(rules: Rules, metric: Metric, user: UserState): MetricResponse {
  const achievements = rules.config.achievements.filter(
    (achievement) => achievement.metricId === metric.id && isShownTo(achievement, user),
  );
  return {
    id: metric.id,
    key: metric.key,
    name: metric.name,
    // The official client requires a status; metrics have no other.
    status: 'active',
    current: user.counters.get(rules.counterOf(metric.id).no) ?? 0,
    achievements: achievements.map((achievement) => userAchievementView(rules, achievement, user)),
  };
}
