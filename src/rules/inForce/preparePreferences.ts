import { ServiceError } from '../../base/errors.ts';
import type {
  NotificationChannel,
  NotificationType,
  StreakEvaluationMode,
  UpdateUserPreferencesRequest,
} from '../../contract/preferences.ts';
import { daysOffMask } from '../daysOff.ts';
import type { Rules } from './rules.ts';

/** The preferences of a user in the form of the scripts. A preference that was never set is absent. */
export interface ScriptPreferences extends Partial<Record<NotificationType, NotificationChannel[]>> {
  isOnLeaderboards?: boolean;
  streakEnabled?: boolean;
  streakMode?: StreakEvaluationMode;
  /** A mask (daysOff.ts). */
  streakDaysOff?: number;
  /** Number of a metric, threshold, … */
  streakMetrics?: number[];
}

/**
 * Checks preferences against the rules and converts them to the form of the scripts.
 * @throws ServiceError `forbidden` if the tenant does not allow own streak conditions, `invalid` for unknown
 * metrics
 */
export function preparePreferences(
  rules: Rules,
  { notifications, streak, leaderboards }: UpdateUserPreferencesRequest,
): ScriptPreferences {
  const preferences: ScriptPreferences = { ...notifications };
  if (leaderboards !== undefined) preferences.isOnLeaderboards = leaderboards.visible;
  if (streak === undefined) return preferences;
  const isOwn =
    streak.evaluationMode !== undefined || streak.metrics !== undefined || streak.daysOff !== undefined;
  if (isOwn && !rules.config.streak.customizationEnabled) {
    throw new ServiceError(
      'forbidden',
      'streak: users of this tenant cannot have metrics, a mode or days off of their own, only enabled',
    );
  }
  if (streak.enabled !== undefined) preferences.streakEnabled = streak.enabled;
  if (streak.evaluationMode !== undefined) preferences.streakMode = streak.evaluationMode;
  if (streak.daysOff !== undefined) {
    if (streak.daysOff.length > 0 && rules.config.streak.frequency !== 'daily') {
      throw new ServiceError(
        'invalid',
        'streak.daysOff must be empty unless the frequency of the streak is daily',
      );
    }
    preferences.streakDaysOff = daysOffMask(streak.daysOff);
  }
  if (streak.metrics !== undefined) {
    const numbers = streak.metrics.map(({ key }, i) => {
      const metric = rules.metricByKey.get(key);
      if (metric === undefined)
        throw new ServiceError('invalid', `streak.metrics[${i}].key must name a metric`);
      return metric.no;
    });
    if (new Set(numbers).size < numbers.length) {
      throw new ServiceError('invalid', 'streak.metrics must name each metric once');
    }
    preferences.streakMetrics = streak.metrics.flatMap(({ threshold }, i) => [numbers[i]!, threshold]);
  }
  return preferences;
}
