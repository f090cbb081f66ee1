import { setTimeout as sleep } from 'node:timers/promises';
import { Batcher, type BatcherOptions } from '../../base/batcher.ts';
import type { Clock } from '../../base/clock.ts';
import {
  type FinishedNotification,
  finishNotifications,
  type PendingNotification,
  readPendingNotifications,
} from '../../db/deliveries/notificationDeliveries.ts';
import type { Pool } from '../../db/pool.ts';

const NOTIFICATIONS_PER_STATEMENT_MAX = 100;

const RECORD_TRIES_MAX = 60;
const RECORD_PAUSE_MS = 500;
/**
 * A statement costs PostgreSQL more than its rows, so the reads of some milliseconds share one, and so do the
 * outcomes.
 */
const STATEMENT_EVERY_MS = 10;
const OPTIONS: BatcherOptions = {
  most: NOTIFICATIONS_PER_STATEMENT_MAX,
  everyMs: STATEMENT_EVERY_MS,
  isCommon: () => true,
};

/**
 * The rows of notifications that are being sent. Concurrent reads share a statement, and so do concurrent
 * outcomes.
 */
export class NotificationRows {
  readonly #pool: Pool;
  readonly #pending: Batcher<string, PendingNotification | null>;
  readonly #finished: Batcher<FinishedNotification, undefined>;
  /** Number of times that outcomes could not be recorded. */
  unrecorded = 0;

  constructor(pool: Pool, clock: Clock) {
    this.#pool = pool;
    this.#pending = new Batcher(async (ids) => {
      const found = await readPendingNotifications(pool, ids, clock.now());
      return ids.map((id) => found.get(id) ?? null);
    }, OPTIONS);
    this.#finished = new Batcher(async (finished) => {
      await this.#record(finished, clock.now());
      return finished.map(() => undefined);
    }, OPTIONS);
  }

  /** null if the notification is not pending, or not due. */
  read(id: string): Promise<PendingNotification | null> {
    return this.#pending.call(id);
  }

  /** Records the outcome of a pending notification; a notification in another status stays unchanged. */
  finish(finished: FinishedNotification): Promise<void> {
    return this.#finished.call(finished);
  }

  /** Waits for PostgreSQL, because a notification whose outcome is not recorded is sent again. */
  async #record(finished: readonly FinishedNotification[], now: number): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        return await finishNotifications(this.#pool, finished, now);
      } catch (error) {
        if (tries === RECORD_TRIES_MAX) {
          this.unrecorded++;
          throw error;
        }
        await sleep(RECORD_PAUSE_MS);
      }
    }
  }
}
