import { errors, type JWTPayload } from 'jose';
import { USER_TOKEN_CLOCK_SKEW_SECONDS, USER_TOKEN_HOURS_MAX } from '../../base/accessLimits.ts';
import { ServiceError } from '../../base/errors.ts';
import { TENANT_ID_CHARS_MAX, USER_ID_CHARS_MAX } from '../../base/limits.ts';
import type { Role } from '../../base/roles.ts';
import { isStorable } from '../../base/text.ts';
import { METRIC } from '../../contract/kinds/metricKind.ts';
import type { TokenGrant } from './apiKeys.ts';
import { quotable } from './headerText.ts';

interface TokenClaims extends Omit<TokenGrant, 'secretId'> {
  userId: string;
  /** `read`, or `operate` for the scope `read events`. */
  role: Role;
}

const ROLE_OF_SCOPE: Record<string, Role> = {
  read: 'read',
  'read events': 'operate',
  'events read': 'operate',
};
const isText = (value: unknown, charsMax: number): value is string =>
  typeof value === 'string' && value !== '' && value.length <= charsMax;

/**
 * The claims of a token whose signature is right.
 * @param nowMs machine time
 * @throws ServiceError `unauthorized` that names the claim
 */
export function readTokenClaims(claims: JWTPayload, nowMs: number): TokenClaims {
  const { sub, exp, scope, tenant, metrics } = claims;
  if (!(isText(sub, USER_ID_CHARS_MAX) && isStorable(sub)))
    throw refusedToken(`sub must be the id of a user, 1 to ${USER_ID_CHARS_MAX} characters`);
  if (exp === undefined) throw refusedToken('exp is required');
  if (exp * 1_000 <= nowMs) throw expiredToken(exp * 1_000);
  if (exp - nowMs / 1_000 > USER_TOKEN_HOURS_MAX * 3_600 + USER_TOKEN_CLOCK_SKEW_SECONDS)
    throw refusedToken(`exp must be at most ${USER_TOKEN_HOURS_MAX} hours ahead`);
  const role = typeof scope === 'string' && Object.hasOwn(ROLE_OF_SCOPE, scope) && ROLE_OF_SCOPE[scope];
  if (!role) throw refusedToken('scope must be "read" or "read events"');
  if (tenant !== undefined && !(isText(tenant, TENANT_ID_CHARS_MAX) && isStorable(tenant)))
    throw refusedToken('tenant must be your own id of the tenant');
  const areKeys = Array.isArray(metrics) && metrics.every((key) => typeof key === 'string');
  if (metrics !== undefined && !(areKeys && metrics.length <= METRIC.limit))
    throw refusedToken(`metrics must be a list of at most ${METRIC.limit} keys of metrics`);
  return {
    userId: sub,
    expiresMs: exp * 1_000,
    role,
    tenantId: tenant ?? null,
    metrics: areKeys ? new Set(metrics as string[]) : null,
  };
}

/** A token whose signature is wrong or could not be checked: it may be a guess. */
export class InvalidToken extends ServiceError {}

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

export const invalidToken = (reason: string): ServiceError =>
  new InvalidToken('unauthorized', text(reason), challenge(reason));

const REASON_OF_CLAIM: Record<string, string> = {
  nbf: 'it is not valid yet (nbf)',
  aud: 'aud must be or contain the value of LAUREL_USER_TOKEN_AUDIENCE',
};

/** The refusal that an error of the verification means. Other errors stay as they are. */
export function refusalOfToken(error: unknown): unknown {
  if (error instanceof errors.JWTExpired) return expiredToken((error.payload.exp ?? 0) * 1_000);
  if (error instanceof errors.JWTClaimValidationFailed)
    return refusedToken(REASON_OF_CLAIM[error.claim] ?? `${error.claim} is wrong`);
  if (error instanceof errors.JWSSignatureVerificationFailed) return invalidToken('its signature is wrong');
  if (error instanceof errors.JWKSNoMatchingKey)
    return invalidToken('LAUREL_USER_TOKEN_JWKS has no key with its kid and alg');
  if (error instanceof errors.JWKSMultipleMatchingKeys)
    return invalidToken('its kid must name one of the keys of LAUREL_USER_TOKEN_JWKS');
  return error instanceof errors.JOSEError ? invalidToken('it is not a signed JWT') : error;
}
