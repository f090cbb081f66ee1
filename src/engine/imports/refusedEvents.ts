import { IMPORT_STATUS } from '../../redis/scripts/importLayout.ts';
import type { Outcome } from '../../redis/scripts/outcome.ts';
import type { Rules } from '../../rules/rules.ts';
import { FUTURE_SIGN_UP, NO_EMAIL } from '../users/userRefusals.ts';

/** Why an event of the past does not count. */
export function reasonOfRefusal(rules: Rules, outcome: Outcome): string {
  switch (outcome.status) {
    case 'guarded':
      return `the guard ${outcome.guard} of the metric refuses the event`;
    case 'outOfPoints':
      return `the user has too few points of ${rules.byNo('pointsSystems', outcome.system).key}`;
    case 'noEmail':
      return NO_EMAIL;
    case 'futureSignUp':
      return FUTURE_SIGN_UP;
    default:
      return outcome.status;
  }
}

const REASONS: Record<number, string> = {
  [IMPORT_STATUS.live]: 'the user has changes that are not older than the first event',
  [IMPORT_STATUS.changed]: 'the user was changed while the events were being imported',
  [IMPORT_STATUS.erasing]: 'the user is being erased',
  [IMPORT_STATUS.blocked]: 'the user is blocked',
  [IMPORT_STATUS.held]: 'another import of events has the user',
};

/** Why the further events of a user are not imported. */
export const reasonOfStatus = (status: number): string => REASONS[status]!;
