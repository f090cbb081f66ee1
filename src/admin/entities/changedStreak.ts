import { ServiceError } from '../../base/errors.ts';
import type { UpdateStreakSettings } from '../../contract/configured/adminConfiguration.ts';
import type { RequestOf } from '../../contract/operation.ts';
import type { StreakSettings } from '../../rules/config.ts';

export type StreakChanges = RequestOf<typeof UpdateStreakSettings>;

/**
 * The streak settings after a change of some of them.
 * @throws ServiceError `invalid` for an empty list of metrics, which a disabled streak may have only before
 * its first metrics
 */
export function changedStreak(before: StreakSettings, { freezes, ...given }: StreakChanges): StreakSettings {
  if (given.metrics?.length === 0) throw new ServiceError('invalid', 'metrics must hold at least 1 item');
  const { frequency = before.frequency } = given;
  const enabled = before.enabled || (before.metrics.length === 0 && given.metrics !== undefined);
  return {
    ...before,
    enabled,
    ...given,
    daysOff: [...(given.daysOff ?? (frequency === 'daily' ? before.daysOff : []))].sort(),
    freezes:
      freezes === undefined
        ? before.freezes
        : freezes && { autoEarnInterval: null, autoEarnAmount: null, ...freezes },
  };
}
