import type { Outcome } from '../../redis/decoding/outcome.ts';
import { IMPORT_STATUS } from '../../redis/lua/scriptConstants.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { FUTURE_SIGN_UP, NO_EMAIL, reasonOf } from '../calls/userRefusals.ts';

/** Why a user or an event of the past is not imported; null if it is. */
export function reasonOfRefusal(rules: Rules, outcome: Outcome): string | null {
  switch (outcome.status) {
    case 'guarded':
      return `the guard ${outcome.guard} of the metric refuses the event`;
    case 'outOfPoints':
      return `the user has too few points of ${rules.byNo('pointsSystems', outcome.system).key}`;
    case 'keyTaken':
      return 'another event has used the idempotency key for some of the metrics';
    case 'noEmail':
      return NO_EMAIL;
    case 'futureSignUp':
      return FUTURE_SIGN_UP;
    case 'futureStreak':
      return 'streak.lastDate must not be in the future';
    case 'blocked':
      return BLOCKED;
    case 'refused':
      return `the user ${reasonOf(outcome)}`;
    default:
      return null;
  }
}

const BLOCKED = 'the user is blocked';

const REASONS: Record<number, string> = {
  [IMPORT_STATUS.live]: 'the user has changes that are not older than the first event',
  [IMPORT_STATUS.changed]: 'the user was changed while the events were being imported',
  [IMPORT_STATUS.erasing]: 'the user is being erased',
  [IMPORT_STATUS.blocked]: BLOCKED,
  [IMPORT_STATUS.held]: 'another import of events has the user',
};

/** Why the further events of a user are not imported. */
export const reasonOfStatus = (status: number): string => REASONS[status]!;
