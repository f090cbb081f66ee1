import type { JWTPayload } from 'jose';
import { USER_TOKEN_CLOCK_SKEW_SECONDS, USER_TOKEN_HOURS_MAX } from '../../base/accessLimits.ts';
import { ENTITIES_MAX, TENANT_ID_CHARS_MAX, USER_ID_CHARS_MAX } from '../../base/limits.ts';
import type { Role } from '../../base/roles.ts';
import { isStorable } from '../../base/text.ts';
import { expiredToken, refusedToken } from './tokenErrors.ts';

/** What a user token allows. */
export interface TokenClaims {
  userId: string;
  /** Machine time in ms. */
  expiresMs: number;
  /** `read`, or `operate` for the scope `read events`. */
  role: Role;
  /** Your own id of the tenant; null if the token names none. */
  tenantId: string | null;
  /** Keys of the only metrics that the token may record; null for all. */
  metrics: ReadonlySet<string> | null;
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
  if (metrics !== undefined && !(areKeys && metrics.length <= ENTITIES_MAX.metrics))
    throw refusedToken(`metrics must be a list of at most ${ENTITIES_MAX.metrics} keys of metrics`);
  return {
    userId: sub,
    expiresMs: exp * 1_000,
    role,
    tenantId: tenant ?? null,
    metrics: areKeys ? new Set(metrics as string[]) : null,
  };
}
