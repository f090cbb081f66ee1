import { LRUCache } from 'lru-cache';
import { systemClock } from '../../base/clock.ts';
import { KEY_USE_SECONDS } from '../../base/limits.ts';
import type { Log } from '../../base/log.ts';
import { markKeyUsed } from '../../db/access/apiKeyRows.ts';
import { markSessionUsed } from '../../db/access/consoleSessionRows.ts';
import type { Pool } from '../../db/pool.ts';
import { type ApiKey, isSession } from './apiKeys.ts';

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
