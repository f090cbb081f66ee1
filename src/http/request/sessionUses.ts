import { LRUCache } from 'lru-cache';
import { systemClock } from '../../base/clock.ts';
import { SESSION_USE_SECONDS } from '../../base/limits.ts';
import type { Log } from '../../base/log.ts';
import { noteUse } from '../../db/access/consoleSessionRows.ts';
import type { Pool } from '../../db/pool.ts';

const NOTED_MAX = 10_000;

/** Stores when sessions of the console were last used, each at most once a minute. No caller waits for it. */
export class SessionUses {
  readonly #pool: Pool;
  readonly #log: Log;
  readonly #noted = new LRUCache<string, true>({ max: NOTED_MAX, ttl: SESSION_USE_SECONDS * 1_000 });

  constructor(pool: Pool, log: Log) {
    this.#pool = pool;
    this.#log = log;
  }

  note(id: string): void {
    if (this.#noted.has(id)) return;
    this.#noted.set(id, true);
    noteUse(this.#pool, id, systemClock.now()).catch((error: Error) => {
      this.#log.warn({ error: error.message }, 'could not store when a session was used');
    });
  }
}
