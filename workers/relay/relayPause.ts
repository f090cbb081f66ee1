import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { connectSubscriber } from '../../src/redis/connection/redisClient.ts';
import { keys } from '../../src/redis/keys/redisKeys.ts';

/**
 * Longest pause between two batches. During it entries accumulate, so that transactions are fewer and several
 * changes of a user become one row. The first entry after a quiet time is written at once.
 */
export const RELAY_PAUSE_MS = 300;

/**
 * The pause of a relay between two batches. It ends early if a reader waits for the history
 * (src/redis/state/relayProgress.ts).
 */
export class RelayPause {
  readonly #subscriber: Redis;
  readonly #pauseMs: number;
  #isAwaited = false;
  #end = new AbortController();

  constructor(redis: Redis, pauseMs: number) {
    this.#pauseMs = pauseMs;
    this.#subscriber = connectSubscriber(redis);
    this.#subscriber.on('message', () => {
      this.#isAwaited = true;
      this.#end.abort();
    });
    // Without the subscription, readers wait until the end of the pause.
    this.#subscriber.on('ready', () => {
      this.#subscriber.subscribe(keys.awaited).catch(() => {});
    });
  }

  /** Pauses, unless a reader began to wait since the end of the last pause. */
  async pause(signal: AbortSignal): Promise<void> {
    this.#end = new AbortController();
    if (!this.#isAwaited) {
      await sleep(this.#pauseMs, undefined, { signal: AbortSignal.any([signal, this.#end.signal]) }).catch(
        () => {},
      );
    }
    // All entries of the readers that wait are in the outboxes already.
    this.#isAwaited = false;
  }

  close(): void {
    this.#subscriber.disconnect();
  }
}
