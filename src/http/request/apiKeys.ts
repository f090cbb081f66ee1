import { ServiceError } from '../../base/errors.ts';
import { sha256 } from '../../base/ids.ts';
import { type Access, includesRole, type Role } from '../../contract/operation.ts';

export interface ApiKey {
  id: string;
  /** Safe to show and log. */
  prefix: string;
  kind: 'admin' | 'application';
  /** Number of the tenant it is bound to; null for any. */
  tenant: number | null;
  /** The only user that an application key may act for; null for an admin key. */
  userId: string | null;
  /** What an admin key may do. */
  role: Role;
  /** What the key is for; empty without a name. */
  name: string;
}

/** @throws ServiceError `forbidden` */
export function assertRole(key: ApiKey, needed: Role): void {
  if (key.kind === 'admin' && !includesRole(key.role, needed)) {
    throw new ServiceError(
      'forbidden',
      `This call needs an admin key with the role ${needed}; this key has ${key.role}`,
    );
  }
}

/**
 * An application key may name no user except its own, and a call about one user must name that user.
 *
 * @param users ids of the users that the call names
 * @throws ServiceError `forbidden`
 */
export function assertOwnUser(key: ApiKey, access: Access, users: string[]): void {
  if (key.kind === 'admin') return;
  if (access === 'admin') throw new ServiceError('forbidden', 'This call needs an admin key');
  if ((access === 'ownUser' && users.length === 0) || users.some((user) => user !== key.userId)) {
    throw new ServiceError('forbidden', 'An application key may act for its own user only');
  }
}

const ACCEPTED_KEYS_MAX = 10_000;

/** Valid keys by their SHA-256. A key that was accepted is not hashed again. */
export class ApiKeys {
  readonly #byHash = new Map<string, ApiKey>();
  readonly #accepted = new Map<string, ApiKey>();

  replace(keys: { sha256: Buffer; key: ApiKey }[]): void {
    this.#byHash.clear();
    this.#accepted.clear();
    for (const { sha256: hash, key } of keys) this.#byHash.set(hash.toString('hex'), key);
  }

  /** Replaces the keys with these ids; ids without a key are removed. */
  update(ids: string[], keys: { sha256: Buffer; key: ApiKey }[]): void {
    const changed = new Set(ids);
    for (const [hash, { id }] of this.#byHash) if (changed.has(id)) this.#byHash.delete(hash);
    for (const [presented, { id }] of this.#accepted) if (changed.has(id)) this.#accepted.delete(presented);
    for (const { sha256: hash, key } of keys) this.#byHash.set(hash.toString('hex'), key);
  }

  /** A key that was accepted before and is still valid. */
  findAccepted(presented: string): ApiKey | undefined {
    return this.#accepted.get(presented);
  }

  /** @throws ServiceError `unauthorized` */
  authenticate(presented: string): ApiKey {
    const accepted = this.#accepted.get(presented);
    if (accepted !== undefined) return accepted;
    if (presented === '') throw new ServiceError('unauthorized', 'The X-API-KEY header is missing');
    const key = this.#byHash.get(sha256(presented).toString('hex'));
    if (key === undefined) throw new ServiceError('unauthorized', 'The X-API-KEY header does not hold a valid key');
    if (this.#accepted.size < ACCEPTED_KEYS_MAX) this.#accepted.set(presented, key);
    return key;
  }
}
