import { ClientError, ResponseBodyError } from 'openid-client';
import { Response } from 'undici';
import { ServiceError } from '../../base/errors.ts';
import { asServiceError } from '../../engine/stores/availability.ts';

/**
 * Why a person is not signed in: no rule gives a role; the attempt is not one of this browser or too old; the
 * provider refused, or its answer is wrong; the provider or a store does not answer.
 */
export type RefusedOutcome = 'no-role' | 'expired' | 'refused' | 'unavailable';

export class SignInRefusal extends Error {
  readonly outcome: RefusedOutcome;

  constructor(outcome: RefusedOutcome, message: string) {
    super(message);
    this.outcome = outcome;
  }
}

/** The metadata of the provider cannot be read. */
export class ProviderUnavailable extends ServiceError {
  constructor(cause: unknown) {
    super('unavailable', 'The identity provider does not answer');
    this.cause = cause;
  }
}

const TIMEOUTS = ['OAUTH_TIMEOUT', 'OAUTH_ABORT'];

/** Whether the provider was not reached or is out of order: it may answer the next attempt. */
function isProviderUnavailable(error: unknown): boolean {
  if (error instanceof ResponseBodyError) return error.status >= 500;
  if (!(error instanceof ClientError)) return isNetworkError(error);
  if (error.cause instanceof Response) return error.cause.status >= 500;
  return TIMEOUTS.includes(error.code ?? '') || isNetworkError(error.cause);
}

/** fetch rejects with a TypeError that has a cause. */
const isNetworkError = (error: unknown): boolean => error instanceof TypeError && error.cause !== undefined;

export function refusalOfSignIn(error: unknown): SignInRefusal {
  if (error instanceof SignInRefusal) return error;
  const known = asServiceError(error);
  const isAway = isProviderUnavailable(error) || (known instanceof ServiceError && known.status === 503);
  return new SignInRefusal(isAway ? 'unavailable' : 'refused', reasonOf(error));
}

/** The message of an error and those of its causes: the first one alone says little. */
function reasonOf(error: unknown): string {
  const messages: string[] = [];
  for (let cause = error; cause instanceof Error; cause = cause.cause) messages.push(cause.message);
  return messages.join(': ') || String(error);
}
