import { ServiceError } from '../../base/errors.ts';
import { type CallRefusal, refused } from '../../contract/refusal.ts';
import type { Outcome } from '../../redis/scripts/outcome.ts';

/** The error of an outcome that changed nothing; null for a change that was made. */
export function refusalOf(outcome: Outcome, userId: string): ServiceError | null {
  switch (outcome.status) {
    case 'unknownUser':
      return unknownUser(userId);
    case 'erasing':
      return erasing(userId);
    case 'blocked':
      return blocked(userId, outcome.until);
    case 'refused':
      return new ServiceError('invalid', `User ${userId} ${outcome.reason}`);
    case 'noEmail':
      return noEmail();
    case 'futureSignUp':
      return new ServiceError('invalid', FUTURE_SIGN_UP);
    default:
      return null;
  }
}

export const unknownUser = (userId: string): ServiceError =>
  refused('notFound', 'unknownUser', `User ${userId} does not exist`);

export const noEmail = (): ServiceError => refused('invalid', 'noEmail', NO_EMAIL);

export const blocked = (userId: string, until: number | null): ServiceError => {
  const refusal: CallRefusal = {
    code: 'blocked',
    ...(until !== null && { retryAt: new Date(until).toISOString() }),
  };
  return new ServiceError('forbidden', `User ${userId} is blocked`, undefined, refusal);
};

export const erasing = (userId: string): ServiceError =>
  new ServiceError('unavailable', `User ${userId} is being erased or renamed; try again`);

export const renaming = (userId: string): ServiceError =>
  new ServiceError('unavailable', `User ${userId} is getting another id; try again`);

export const NO_EMAIL = 'subscribeToEmails cannot be true for a user without an email';
export const FUTURE_SIGN_UP = 'user.signUpDate must not be after today in the time zone of the user';
