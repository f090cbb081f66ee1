import { ServiceError } from '../base/errors.ts';
import type { NotificationChannel, NotificationType, UpdateUserPreferencesRequest } from '../contract/preferences.ts';
import type { Rules } from './rules.ts';

/** What a user has set, as the scripts take and keep it: by name, what was never set is absent. */
export interface ScriptPreferences extends Partial<Record<NotificationType, NotificationChannel[]>> {
  streakEnabled?: boolean;
  streakMode?: 'OR' | 'AND';
  /** Number of a metric, threshold, … */
  streakMetrics?: number[];
}

/**
 * Checks preferences against the rules and puts them into the script's terms.
 * @throws ServiceError `forbidden` for conditions of one's own where the tenant does not allow them, `invalid` for unknown metrics
 */
export function preparePreferences(
  rules: Rules,
  { notifications, streak }: UpdateUserPreferencesRequest,
): ScriptPreferences {
  const preferences: ScriptPreferences = { ...notifications };
  if (streak === undefined) return preferences;
  const isOwn = streak.evaluationMode !== undefined || streak.metrics !== undefined;
  if (isOwn && !rules.config.streak.personalization) {
    throw new ServiceError(
      'forbidden',
      'streak: users of this tenant cannot have conditions of their own, only enabled',
    );
  }
  if (streak.enabled !== undefined) preferences.streakEnabled = streak.enabled;
  if (streak.evaluationMode !== undefined) preferences.streakMode = streak.evaluationMode;
  if (streak.metrics !== undefined) {
    const numbers = streak.metrics.map(({ key }, i) => {
      const metric = rules.metricByKey.get(key);
      if (metric === undefined) throw new ServiceError('invalid', `streak.metrics[${i}].key must name a metric`);
      return metric.no;
    });
    if (new Set(numbers).size < numbers.length) {
      throw new ServiceError('invalid', 'streak.metrics must name each metric once');
    }
    preferences.streakMetrics = streak.metrics.flatMap(({ threshold }, i) => [numbers[i]!, threshold]);
  }
  return preferences;
}
