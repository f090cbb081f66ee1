import { instantOfEvent } from '../../base/ids.ts';
import { KEY_QUESTIONS_AT_ONCE_MAX, KEY_QUESTIONS_WAITING_MAX } from '../../base/keyLimits.ts';
import { Semaphore } from '../../base/semaphore.ts';
import { findUsedKeys } from '../../db/history/usedKeyRows.ts';
import type { Pool } from '../../db/pool.ts';
import { keySliceAt, keySliceMs } from '../../rules/keySlices.ts';
import type { PreparedEvent } from '../../rules/prepare.ts';
import type { Rules } from '../../rules/rules.ts';
import { STORE_FAULT, unavailable } from '../storeFaults.ts';

/** The last use of an idempotency key (KEY_USE). */
export interface KeyUse {
  /** Milliseconds since 1970; 0 for a key that was not used. */
  usedAt: number;
  /** The instant in the id of its event; 0 for an id without one. */
  idAt: number;
}

/** Knows when idempotency keys were used. */
export interface KeyUses {
  /**
   * @returns the last use of the key of each event, in the same order
   * @throws ServiceError `unavailable`
   */
  find(rules: Rules, events: readonly PreparedEvent[]): Promise<KeyUse[]>;
}

/** Of processes that record no events. */
export const UNKNOWN_KEY_USES: KeyUses = {
  find: () => Promise.reject(unavailable(STORE_FAULT.postgresAway)),
};

/** Finds uses of idempotency keys in the history. */
export class StoredKeyUses implements KeyUses {
  readonly #pool: Pool;
  readonly #turns = new Semaphore(KEY_QUESTIONS_AT_ONCE_MAX, KEY_QUESTIONS_WAITING_MAX);

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async find(rules: Rules, events: readonly PreparedEvent[]): Promise<KeyUse[]> {
    const asked = events.map(({ userId, metric, fingerprint }) => ({
      userId,
      metric: metric.no,
      fingerprint: fingerprint as string,
    }));
    const found = await this.#turns
      .run(() => findUsedKeys(this.#pool, rules.tenant, asked))
      .catch(() => {
        // Whatever the reason: without an answer the event might count twice.
        throw unavailable(STORE_FAULT.postgresAway);
      });
    return found.map((use) => {
      if (use === null) return { usedAt: 0, idAt: 0 };
      return { usedAt: use.usedAt, idAt: idAt(rules, use) };
    });
  }
}

/** Of an event that is no longer kept only the instant is known; the present setting tells its id. */
function idAt({ config }: Rules, { usedAt, eventId }: { usedAt: number; eventId: string | null }): number {
  if (eventId !== null) return instantOfEvent(eventId) ?? 0;
  const { settings } = config;
  return settings.idempotencyWindowSeconds === null ? 0 : keySliceAt(usedAt, keySliceMs(settings));
}
