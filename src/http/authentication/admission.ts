import type { HttpRequest, HttpResponse } from 'uWebSockets.js';
import { LRUCache } from 'lru-cache';
import { monotonicMs, systemClock } from '../../base/clock.ts';
import type { Env } from '../../base/env.ts';
import { ServiceError } from '../../base/errors.ts';
import { handled } from '../../base/handled.ts';
import type { Log } from '../../base/log.ts';
import { markKeyUsed } from '../../db/access/apiKeyRows.ts';
import { markSessionUsed } from '../../db/access/consoleSessionRows.ts';
import type { Pool } from '../../db/pool.ts';
import { type ApiKey, type ApiKeys, isSession, wrongKey } from './apiKeys.ts';
import { presentedSession } from './sessionCookie.ts';
import type { TenantHeaders } from './tenants.ts';
import { TokenBuckets } from './tokenBuckets.ts';
import { InvalidToken } from './tokenClaims.ts';
import { UserTokens } from './userTokens.ts';

/** Seconds' worth of requests that a rate-limited key may send at once. */
const RATE_LIMIT_BURST_SECONDS = 5;
/** Addresses and keys whose rates a server remembers. */
const RATE_LIMITED_NAMES_MAX = 50_000;

type AdmissionOptions = Pick<Env, 'requestsPerSecond' | 'failedAuthenticationsPerMinute' | 'trustProxy'>;

/**
 * Decides whether a request gets in: by its key, and by how often that key calls. A right key always
 * authenticates; only failed authentications are limited, by address. Counted on this server alone.
 */
export class Admission {
  readonly #apiKeys: ApiKeys;
  readonly #lastUses: LastUses;
  readonly #userTokens: UserTokens;
  readonly #failures: TokenBuckets;
  readonly #requests: Record<ApiKey['kind'], TokenBuckets | null>;
  readonly #trustProxy: boolean;

  constructor(
    apiKeys: ApiKeys,
    lastUses: LastUses,
    userTokens: UserTokens,
    { requestsPerSecond, failedAuthenticationsPerMinute: failures, trustProxy }: AdmissionOptions,
  ) {
    this.#apiKeys = apiKeys;
    this.#lastUses = lastUses;
    this.#userTokens = userTokens;
    this.#failures = new TokenBuckets(failures / 60, failures, RATE_LIMITED_NAMES_MAX);
    this.#requests = {
      admin: requestBuckets(requestsPerSecond.admin),
      application: requestBuckets(requestsPerSecond.application),
    };
    this.#trustProxy = trustProxy;
  }

  /**
   * The key of a request: at once, except for a token that is seen for the first time.
   * @param presented the key or token, where it is not in a header
   * @throws (or rejects with) ServiceError `unauthorized`; `tooMany` with Retry-After
   */
  admit(res: HttpResponse, req: HttpRequest, presented = presentedKey(req)): ApiKey | Promise<ApiKey> {
    const key = this.#userTokens.recall(presented) ?? this.#apiKeys.find(presented);
    if (key !== undefined) return this.#paced(key);
    const address = this.#addressOf(res, req);
    if (UserTokens.isToken(presented)) return handled(this.#verify(presented, address));
    throw presented === '' ? wrongKey(presented) : this.#wrong(address, wrongKey(presented));
  }

  /** @throws ServiceError `unauthorized` once what was admitted is no longer valid */
  assertValid(key: ApiKey, presented: string): void {
    if (key.token === undefined) this.#apiKeys.authenticate(presented);
    else this.#userTokens.assertValid(key);
  }

  async #verify(token: string, address: string): Promise<ApiKey> {
    try {
      return this.#paced(await this.#userTokens.verify(token));
    } catch (error) {
      throw error instanceof InvalidToken ? this.#wrong(address, error) : error;
    }
  }

  #paced(key: ApiKey): ApiKey {
    if (key.kind === 'admin') this.#lastUses.mark(key);
    const buckets = this.#requests[key.kind];
    if (buckets !== null) {
      const waitSeconds = buckets.take(key.id, monotonicMs());
      if (waitSeconds > 0) throw tooMany(`Too many requests with the key ${key.prefix}`, waitSeconds);
    }
    return key;
  }

  /** The refusal of an invalid key or token. An address gets a limited number of them. */
  #wrong(address: string, refusal: ServiceError): ServiceError {
    const waitSeconds = this.#failures.take(address, monotonicMs());
    return waitSeconds > 0
      ? tooMany('Too many failed authentications from this address', waitSeconds)
      : refusal;
  }

  #addressOf(res: HttpResponse, req: HttpRequest): string {
    const forwarded = this.#trustProxy ? lastForwarded(req) : '';
    return forwarded || Buffer.from(res.getRemoteAddressAsText()).toString();
  }
}

/**
 * Continues with a key: at once, or when it is known. The request cannot be read then, so what remains of it
 * are the headers that name the tenant.
 */
export function withKey<T>(
  key: ApiKey | Promise<ApiKey>,
  req: HttpRequest,
  next: (key: ApiKey, headers: TenantHeaders) => T | Promise<T>,
): T | Promise<T> {
  if (!(key instanceof Promise)) return next(key, req);
  const tenantId = req.getHeader('tenant-id');
  return handled(key.then((known) => next(known, { getHeader: () => tenantId })));
}

const BEARER = /^bearer +/i;

/**
 * The key in X-API-KEY, else that in Authorization (RFC 6750), else the session of the console; empty without
 * any.
 */
export function presentedKey(req: HttpRequest): string {
  const key = req.getHeader('x-api-key');
  if (key !== '') return key;
  const authorization = req.getHeader('authorization');
  return BEARER.test(authorization) ? authorization.replace(BEARER, '') : presentedSession(req);
}

/**
 * The last entry of all lines of X-Forwarded-For: a proxy may append a line of its own to those of the
 * client.
 */
function lastForwarded(req: HttpRequest): string {
  let last = '';
  req.forEach((name, value) => {
    if (name === 'x-forwarded-for') last = value;
  });
  return last.split(',').at(-1)!.trim();
}

function requestBuckets(perSecond: number): TokenBuckets | null {
  if (perSecond === 0) return null;
  return new TokenBuckets(perSecond, perSecond * RATE_LIMIT_BURST_SECONDS, RATE_LIMITED_NAMES_MAX);
}

function tooMany(message: string, waitSeconds: number): ServiceError {
  return new ServiceError('tooMany', `${message}; try again in ${waitSeconds} s`, {
    'Retry-After': String(waitSeconds),
  });
}

/** Accuracy of the last use of an admin key or a session. */
const KEY_USE_SECONDS = 60;

const MARKED_MAX = 10_000;

/**
 * Stores when admin keys and sessions of the console were last used, each at most once a minute. No caller
 * waits for it.
 */
export class LastUses {
  readonly #pool: Pool;
  readonly #log: Log;
  readonly #marked = new LRUCache<string, true>({ max: MARKED_MAX, ttl: KEY_USE_SECONDS * 1_000 });

  constructor(pool: Pool, log: Log) {
    this.#pool = pool;
    this.#log = log;
  }

  mark(key: ApiKey): void {
    if (this.#marked.has(key.id)) return;
    this.#marked.set(key.id, true);
    const store = isSession(key) ? markSessionUsed : markKeyUsed;
    store(this.#pool, key.id, systemClock.now()).catch((error: Error) => {
      this.#log.warn({ error: error.message }, 'could not store when a key was used');
    });
  }
}
