import { ServiceError } from '../../base/errors.ts';
import type { Metrics } from '../../base/metrics.ts';
import type { GuardName } from '../../contract/guards.ts';
import { type CallRefusal, refused } from '../../contract/refusal.ts';
import type { Outcome } from '../../redis/decoding/outcome.ts';
import type { Metric } from '../../rules/config.ts';
import type { PreparedEvent } from '../../rules/inForce/prepare.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { blocked, erasing, FUTURE_SIGN_UP, noEmail } from '../calls/userRefusals.ts';

/** Who reads a refusal: the backend, or a user, who is not told the numbers of a guard. */
export type RefusedTo = 'backend' | 'user';

/** The error for an event that the script refused. */
export function eventRefusal(
  outcome: Outcome,
  { userId, metric }: Pick<PreparedEvent, 'userId' | 'metric'>,
  rules: Rules,
  to: RefusedTo,
  metrics: Metrics,
): Error {
  switch (outcome.status) {
    case 'noEmail':
      return noEmail();
    case 'futureSignUp':
      return new ServiceError('invalid', FUTURE_SIGN_UP);
    case 'outOfPoints': {
      const { key } = rules.byNo('pointsSystems', outcome.system);
      return refused(
        'invalid',
        'outOfPoints',
        `The user has not enough points in ${key} for this event of the metric ${metric.key}`,
      );
    }
    case 'keyTaken':
      return refused(
        'invalid',
        'keyTaken',
        `The idempotency key was used by another event of the metric ${metric.key}`,
      );
    case 'blocked':
      return blocked(userId, outcome.until);
    case 'erasing':
      return erasing(userId);
    case 'guarded':
      metrics.guardedEvents.inc({ metric: metric.key, guard: outcome.guard, action: 'refuse' });
      return guardRefusal(metric, outcome, to);
    default:
      return new Error(`an event cannot have the outcome ${outcome.status}`);
  }
}

function guardRefusal(
  metric: Metric,
  { guard, allowedAt }: { guard: GuardName; allowedAt: number | null },
  to: RefusedTo,
): ServiceError {
  const details: CallRefusal = {
    code: 'guard',
    guard,
    ...(allowedAt !== null && { retryAt: new Date(allowedAt).toISOString() }),
  };
  const hold = metric.guards?.action === 'hold' ? '; only an event of one metric can be held' : '';
  const number = to === 'backend' ? `, ${JSON.stringify(metric.guards?.[guard])}` : '';
  return new ServiceError(
    'invalid',
    `The event is refused by a guard of the metric ${metric.key}: ${guard}${number}${hold}`,
    undefined,
    details,
  );
}
