import { Semaphore } from '../../base/semaphore.ts';
import { SingleFlight } from '../../base/singleFlight.ts';

/** Held events that a server stores at once: each has a connection to PostgreSQL meanwhile. */
const HOLDS_AT_ONCE_MAX = 4;
const HOLDS_WAITING_MAX = 10_000;

/** What became of an event that is to be stored for a review. */
export type StoredHold = 'new' | 'known' | 'tooMany';

/**
 * Stores held events, a few at once. A repetition shares the result of the event that it repeats while that
 * is being stored, so that it is never stored instead.
 */
export class Holds {
  readonly #limit = new Semaphore(HOLDS_AT_ONCE_MAX, HOLDS_WAITING_MAX);
  readonly #stores = new SingleFlight<string, StoredHold>();

  /** @throws ServiceError `unavailable` if too many events wait; else the error of `store` */
  run(eventId: string, store: () => Promise<StoredHold>): Promise<StoredHold> {
    return this.#stores.run(eventId, () => this.#limit.run(store));
  }
}
