import { ServiceError } from '../../base/errors.ts';
import { type CallRefusal, refused } from '../../contract/refusal.ts';
import type { Outcome } from '../../redis/decoding/outcome.ts';
import type { Refused } from '../../redis/lua/scriptConstants.ts';

/** Texts of the reasons, which complete a sentence that begins with the user. */
const REASONS: Record<Refused, string> = {
  allFreezes: 'has all the freezes that a user may have: the maximum is',
  pauseInPast: 'can be paused from today on, not before',
  pausesOverlap: 'has a pause on some of these days already',
  allPauses: 'has as many pauses as a user may have',
  streakOff: 'has turned the streak off',
  noLostStreak: 'has lost no streak',
  noStreak: 'has no streak to reset',
  hasEvents: 'has events already',
  challengeClosed: 'is not within a run of the challenge',
  challengeCompleted: 'has completed the challenge in this run',
  challengeNotCompleted: 'has not completed the challenge in this run',
  rewardsLapsed: 'has not claimed the rewards in time',
};

export const reasonOf = ({ reason, limit }: Extract<Outcome, { status: 'refused' }>): string =>
  limit === false ? REASONS[reason] : `${REASONS[reason]} ${limit}`;

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
      return new ServiceError('invalid', `User ${userId} ${reasonOf(outcome)}`);
    case 'noEmail':
      return noEmail();
    case 'futureSignUp':
      return new ServiceError('invalid', FUTURE_SIGN_UP);
    case 'historyNeeded':
      return new HistoryOutdated(userId);
    default:
      return null;
  }
}

/** The user has changed since the history was read. */
export class HistoryOutdated extends ServiceError {
  constructor(userId: string) {
    super('unavailable', `User ${userId} has changed meanwhile; try again`);
  }
}

export const unknownUser = (userId: string): ServiceError =>
  refused('notFound', 'unknownUser', `User ${userId} does not exist`);

/** For work on users who may have been erased meanwhile. */
export function ignoreUnknown(error: unknown): undefined {
  if (!(error instanceof ServiceError && error.code === 'notFound')) throw error;
}

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
