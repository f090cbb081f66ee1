import { randomBytes } from 'node:crypto';
import { monotonicMs } from '../../base/clock.ts';
import { ServiceError } from '../../base/errors.ts';
import { newId, sha256 } from '../../base/ids.ts';
import { CONSOLE_SESSIONS_MAX } from '../../base/limits.ts';
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

/** Shown in the audit log for what a session of the console does. */
const SESSION_PREFIX = 'console';
const SESSION_NAME = 'Console, by the link of npm start';
const SESSION_SECRET_BYTES = 32;

const ACCEPTED_KEYS_MAX = 10_000;

/** Valid keys by their SHA-256. A key that was accepted is not hashed again. */
export class ApiKeys {
  readonly #byHash = new Map<string, ApiKey>();
  readonly #accepted = new Map<string, ApiKey>();
  readonly #sessions = new Map<string, { key: ApiKey; expiresMs: number }>();
  readonly #sessionMs: number;

  /** @param sessionMs how long a session of the console lasts */
  constructor(sessionMs: number) {
    this.#sessionMs = sessionMs;
  }

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

  /** Makes an admin key that only this server knows, for a session of the console. */
  openSession(): string {
    const presented = `${SESSION_PREFIX}.${randomBytes(SESSION_SECRET_BYTES).toString('base64url')}`;
    const [oldest] = this.#sessions.keys();
    if (this.#sessions.size >= CONSOLE_SESSIONS_MAX) this.#sessions.delete(oldest!);
    const key: ApiKey = {
      id: newId(),
      prefix: SESSION_PREFIX,
      kind: 'admin',
      tenant: null,
      userId: null,
      role: 'admin',
      name: SESSION_NAME,
    };
    this.#sessions.set(sha256(presented).toString('hex'), {
      key,
      expiresMs: monotonicMs() + this.#sessionMs,
    });
    return presented;
  }

  /** Ends a session of the console. @returns false if the key is not one of a session */
  endSession(presented: string): boolean {
    return this.#sessions.delete(sha256(presented).toString('hex'));
  }

  #findSession(hash: string): ApiKey | undefined {
    const session = this.#sessions.get(hash);
    if (session === undefined || session.expiresMs > monotonicMs()) return session?.key;
    this.#sessions.delete(hash);
    return undefined;
  }

  /** The key that was presented; undefined if it is not valid. */
  find(presented: string): ApiKey | undefined {
    const accepted = this.#accepted.get(presented);
    if (accepted !== undefined || presented === '') return accepted;
    const hash = sha256(presented).toString('hex');
    const session = this.#findSession(hash);
    // Not among the accepted ones, as it expires.
    if (session !== undefined) return session;
    const key = this.#byHash.get(hash);
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

export function wrongKey(presented: string): ServiceError {
  const problem = presented === '' ? 'is missing' : 'does not hold a valid key';
  return new ServiceError('unauthorized', `The X-API-KEY header ${problem}`);
}
