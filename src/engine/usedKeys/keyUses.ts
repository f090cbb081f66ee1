import { instantOfEvent } from '../../base/ids.ts';
import { KEY_QUESTIONS_AT_ONCE_MAX, KEY_QUESTIONS_WAITING_MAX } from '../../base/keyLimits.ts';
import { Semaphore } from '../../base/semaphore.ts';
import { findHeldKeys, findUsedKeys, type UsedKey } from '../../db/history/usedKeyRows.ts';
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

/** The last use of the key of an event. */
export interface EventKeyUse extends KeyUse {
  /** The last use under which the event was held. */
  held: KeyUse;
}

/** Knows when idempotency keys were used. */
export interface KeyUses {
  /**
   * @returns the last use of the key of each event, in the same order
   * @throws ServiceError `unavailable`
   */
  find(rules: Rules, events: readonly PreparedEvent[]): Promise<EventKeyUse[]>;
}

export const UNUSED_KEY: KeyUse = { usedAt: 0, idAt: 0 };

/** Of processes that record no events. */
export const UNKNOWN_KEY_USES: KeyUses = {
  find: () => Promise.reject(unavailable(STORE_FAULT.postgresAway)),
};

/** Finds uses of idempotency keys in the history. */
export class StoredKeyUses implements KeyUses {
  readonly #pool: Pool;
  readonly #semaphore = new Semaphore(KEY_QUESTIONS_AT_ONCE_MAX, KEY_QUESTIONS_WAITING_MAX);

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async find(rules: Rules, events: readonly PreparedEvent[]): Promise<EventKeyUse[]> {
    const asked = events.map(({ userId, metric, fingerprint }) => ({
      userId,
      metric: metric.no,
      fingerprint: fingerprint as string,
    }));
    const [found, held] = await this.#semaphore
      .run(() =>
        Promise.all([
          findUsedKeys(this.#pool, rules.tenant, asked),
          findHeldKeys(this.#pool, rules.tenant, asked),
        ]),
      )
      .catch(() => {
        // Whatever the reason: without an answer the event might count twice.
        throw unavailable(STORE_FAULT.postgresAway);
      });
    return found.map((use, i) => ({ ...keyUse(rules, use), held: keyUse(rules, held[i]!) }));
  }
}

const keyUse = (rules: Rules, use: UsedKey | null): KeyUse =>
  use === null ? UNUSED_KEY : { usedAt: use.usedAt, idAt: idAt(rules, use) };

/** Of an event that is no longer kept only the instant is known; the present setting tells its id. */
function idAt({ config }: Rules, { usedAt, eventId }: UsedKey): number {
  if (eventId !== null) return instantOfEvent(eventId) ?? 0;
  const { settings } = config;
  return settings.idempotencyWindowSeconds === null ? 0 : keySliceAt(usedAt, keySliceMs(settings));
}
