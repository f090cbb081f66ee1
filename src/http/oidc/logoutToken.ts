import { errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { LOGOUT_TOKEN_SECONDS_MAX, PROVIDER_CLOCK_SKEW_SECONDS } from '../../base/accessLimits.ts';
import { systemClock } from '../../base/clock.ts';
import { ServiceError } from '../../base/errors.ts';

/** A sign-out that the provider reports (OpenID Connect Back-Channel Logout 1.0). */
export interface ProviderSignOut {
  subject: string | null;
  /** null: all sessions of the person. */
  providerSession: string | null;
}

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
/** Only keys of the provider sign: a shared secret could also be used by others who have it. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];

const wrong = (reason: string): ServiceError =>
  new ServiceError('malformed', `The logout token is refused: ${reason}`);

/**
 * Reads a logout token.
 * @param keys of the provider (readableKeys.ts)
 * @throws ServiceError `malformed` if it is not valid
 */
export async function readLogoutToken(
  token: string,
  keys: JWTVerifyGetKey,
  { issuer, clientId }: { issuer: string; clientId: string },
): Promise<ProviderSignOut> {
  const { payload } = await jwtVerify(token, keys, {
    issuer,
    audience: clientId,
    algorithms: ALGORITHMS,
    requiredClaims: ['iat', 'jti', 'events'],
    maxTokenAge: LOGOUT_TOKEN_SECONDS_MAX,
    clockTolerance: PROVIDER_CLOCK_SKEW_SECONDS,
    currentDate: new Date(systemClock.now()),
  }).catch((error) => {
    throw error instanceof errors.JOSEError ? wrong(error.message) : error;
  });
  return signOutOf(payload);
}

function signOutOf({ events, nonce, sub, sid }: JWTPayload): ProviderSignOut {
  const event = typeof events === 'object' && events !== null && (events as Record<string, unknown>)[EVENT];
  if (typeof event !== 'object' || event === null) throw wrong(`events must name ${EVENT}`);
  // It tells a logout token from an ID token.
  if (nonce !== undefined) throw wrong('it must have no nonce');
  const providerSession = typeof sid === 'string' ? sid : null;
  if (sub === undefined && providerSession === null) throw wrong('it must have sub or sid');
  return { subject: sub ?? null, providerSession };
}
