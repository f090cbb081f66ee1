import { errors } from 'jose';
import { ServiceError } from '../../base/errors.ts';
import { quotable } from '../request/headerText.ts';

/** A token whose signature is wrong or could not be checked: it may be a guess. */
export class WrongToken extends ServiceError {}

/** The challenge of RFC 6750, section 3, with the reason. */
function challenge(reason: string): Record<string, string> {
  return {
    'WWW-Authenticate': `Bearer error="invalid_token", error_description="${quotable(reason)}"`,
  };
}

const text = (reason: string): string => `The token is refused: ${reason}`;

/** A token whose signature is right, but that is not valid. */
export const refusedToken = (reason: string): ServiceError =>
  new ServiceError('unauthorized', text(reason), challenge(reason));

/** @param expiresMs in the past; an instant before 1970 is shown as its start */
export const expiredToken = (expiresMs: number): ServiceError =>
  refusedToken(`it expired at ${new Date(Math.max(0, expiresMs)).toISOString()}`);

export const wrongToken = (reason: string): ServiceError =>
  new WrongToken('unauthorized', text(reason), challenge(reason));

const REASON_OF_CLAIM: Record<string, string> = {
  nbf: 'it is not valid yet (nbf)',
  aud: 'aud must be or contain the value of LAUREL_USER_TOKEN_AUDIENCE',
};

/** The refusal that an error of the verification means. Other errors stay as they are. */
export function refusalOfToken(error: unknown): unknown {
  if (error instanceof errors.JWTExpired) return expiredToken((error.payload.exp ?? 0) * 1_000);
  if (error instanceof errors.JWTClaimValidationFailed)
    return refusedToken(REASON_OF_CLAIM[error.claim] ?? `${error.claim} is wrong`);
  if (error instanceof errors.JWSSignatureVerificationFailed) return wrongToken('its signature is wrong');
  if (error instanceof errors.JWKSNoMatchingKey)
    return wrongToken('LAUREL_USER_TOKEN_JWKS has no key with its kid and alg');
  if (error instanceof errors.JWKSMultipleMatchingKeys)
    return wrongToken('its kid must name one of the keys of LAUREL_USER_TOKEN_JWKS');
  return error instanceof errors.JOSEError ? wrongToken('it is not a signed JWT') : error;
}
