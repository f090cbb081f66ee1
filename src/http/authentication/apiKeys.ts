import { systemClock } from '../../base/clock.ts';
import { ServiceError } from '../../base/errors.ts';
import { sha256 } from '../../base/ids.ts';
import { includesRole, type Role } from '../../base/roles.ts';
import type { Access } from '../../contract/operation.ts';
import { SESSION_PREFIX } from '../../db/access/apiKeyRows.ts';

export interface ApiKey {
  id: string;
  /** Safe to show and log. */
  prefix: string;
  kind: 'admin' | 'application';
  /** Number of the tenant it is bound to; null for any. */
  tenant: number | null;
  /** The only user that an application key may act for; null for an admin key. */
  userId: string | null;
  /** Permissions of an admin key or a token. */
  role: Role;
  name: string;
  /** Id of the key that made this session of the console; null for a key. */
  madeBy: string | null;
  /** Machine time at which this session of the console ends; null for a key. */
  expires: Date | null;
  /** Only of user tokens. */
  token?: TokenGrant;
}

/** Fields of a user token in addition to those of a key. */
export interface TokenGrant {
  /** The customer's id of the tenant in the token; null without one. */
  tenantId: string | null;
  /** Keys of the only metrics that the token may record; null for all. */
  metrics: ReadonlySet<string> | null;
  /** Machine time at which the token ends, ms. */
  expiresMs: number;
  /** Id of the tenant's secret that signed the token; null for a key of the installation. */
  secretId: string | null;
}

export const isSession = ({ expires }: ApiKey): boolean => expires !== null;

/** @throws ServiceError `forbidden` */
export function assertRole(key: ApiKey, needed: Role): void {
  if (includesRole(key.role, needed)) return;
  throw new ServiceError(
    'forbidden',
    key.token === undefined
      ? `This call needs an admin key with the role ${needed}; this key has ${key.role}`
      : 'This call needs a token with the scope "read events"; this token has "read"',
  );
}

/** @throws ServiceError `forbidden` */
export function assertAdmin(key: ApiKey, access: Access): void {
  if (access === 'admin' && key.kind !== 'admin')
    throw new ServiceError('forbidden', 'This call needs an admin key');
}

/** @throws ServiceError `forbidden` if a token may not record events of a metric */
export function assertMetric({ token }: ApiKey, metricKey: string): void {
  if (!token?.metrics || token.metrics.has(metricKey)) return;
  throw new ServiceError('forbidden', `This token may not record events of ${metricKey}`);
}

/**
 * An application key may name no user except its own, and a call about one user must name that user.
 *
 * @param users ids of the users that the call names
 * @throws ServiceError `forbidden`
 */
export function assertOwnUser(key: ApiKey, access: Access, users: string[]): void {
  if (key.kind === 'admin') return;
  if ((access === 'ownUser' && users.length === 0) || users.some((user) => user !== key.userId)) {
    throw new ServiceError('forbidden', 'An application key or a token may act for its own user only');
  }
}

const ACCEPTED_KEYS_MAX = 10_000;

/** Valid keys and sessions by their SHA-256. An accepted key is not hashed again. */
export class ApiKeys {
  readonly #byHash = new Map<string, ApiKey>();
  readonly #accepted = new Map<string, ApiKey>();

  replace(keys: { sha256: Buffer; key: ApiKey }[]): void {
    this.#byHash.clear();
    this.#accepted.clear();
    for (const { sha256: hash, key } of keys) this.#byHash.set(hash.toString('hex'), key);
  }

  /** Removes the keys with these ids and the sessions that they made, then adds `keys`. */
  update(ids: string[], keys: { sha256: Buffer; key: ApiKey }[]): void {
    const changed = new Set<string | null>(ids);
    for (const known of [this.#byHash, this.#accepted])
      for (const [name, { id, madeBy }] of known)
        if (changed.has(id) || changed.has(madeBy)) known.delete(name);
    for (const { sha256: hash, key } of keys) this.#byHash.set(hash.toString('hex'), key);
  }

  /** The presented key; undefined if it is not valid. */
  find(presented: string): ApiKey | undefined {
    const key = this.#accepted.get(presented) ?? this.#lookUp(presented);
    if (key === undefined || key.expires === null) return key;
    return key.expires.getTime() > systemClock.now() ? key : undefined;
  }

  #lookUp(presented: string): ApiKey | undefined {
    if (presented === '') return undefined;
    const key = this.#byHash.get(sha256(presented).toString('hex'));
    if (key !== undefined && this.#accepted.size < ACCEPTED_KEYS_MAX) this.#accepted.set(presented, key);
    return key;
  }

  /** @throws ServiceError `unauthorized` */
  authenticate(presented: string): ApiKey {
    const key = this.find(presented);
    if (key === undefined) throw wrongKey(presented);
    return key;
  }
}

/** Every 401 names the way to authenticate (RFC 9110, section 15.5.2). */
const CHALLENGE = { 'WWW-Authenticate': 'Bearer' };

export function wrongKey(presented: string): ServiceError {
  if (presented.startsWith(`${SESSION_PREFIX}.`))
    return new ServiceError(
      'unauthorized',
      'This session of the console has ended: sign in again',
      CHALLENGE,
    );
  const problem = presented === '' ? 'is missing' : 'does not contain a valid key';
  const advice =
    'send the key that the first start printed, or set LAUREL_ADMIN_KEY to add one at the next start';
  return new ServiceError('unauthorized', `The X-API-KEY header ${problem}: ${advice}`, CHALLENGE);
}
