import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../../base/errors.ts';
import { LIVE_READ_INTERVAL_MS, LIVE_READS_MAX } from '../../base/limits.ts';
import { asServiceError } from '../../engine/availability.ts';

/** Whoever watches a read. `end` is the last call. */
export interface Subscriber {
  push(text: string): void;
  end(reason: unknown): void;
}

interface LiveRead {
  latest: string;
  readonly subscribers: Set<Subscriber>;
}

/**
 * Reads that are repeated while somebody watches them, each once for all its subscribers, who get the answer whenever it
 * differs from the one before. Nothing is asked of the event path: a board that nobody watches costs nothing, and a board
 * that changes a thousand times a second is sent a few times.
 */
export class LiveReads {
  readonly #reads = new Map<string, LiveRead>();
  readonly #closing = new AbortController();

  get subscribers(): number {
    let count = 0;
    for (const { subscribers } of this.#reads.values()) count += subscribers.size;
    return count;
  }

  /**
   * Sends the answer of `read` at once and whenever it changes, until the returned function is called.
   * @param name equal for equal reads
   * @throws what the first read throws; `unavailable` when too many different reads are watched
   */
  async subscribe(name: string, read: () => Promise<string>, subscriber: Subscriber): Promise<() => void> {
    const text = await read();
    if (this.#closing.signal.aborted) throw stopping();
    const known = this.#reads.get(name);
    if (known === undefined && this.#reads.size >= LIVE_READS_MAX) {
      throw new ServiceError('unavailable', 'Too many different live reads');
    }
    const live = known ?? { latest: text, subscribers: new Set() };
    live.subscribers.add(subscriber);
    subscriber.push(live.latest);
    if (known === undefined) {
      this.#reads.set(name, live);
      void this.#follow(name, live, read);
    }
    return () => live.subscribers.delete(subscriber);
  }

  async #follow(name: string, live: LiveRead, read: () => Promise<string>): Promise<void> {
    const { signal } = this.#closing;
    try {
      while (live.subscribers.size > 0) {
        await sleep(LIVE_READ_INTERVAL_MS, undefined, { signal });
        const text = await readIfAvailable(read);
        if (text === null || text === live.latest) continue;
        live.latest = text;
        for (const subscriber of live.subscribers) subscriber.push(text);
      }
    } catch (error) {
      for (const subscriber of live.subscribers) subscriber.end(signal.aborted ? stopping() : error);
    } finally {
      this.#reads.delete(name);
    }
  }

  /** Ends every subscription; clients come back to whichever server runs. */
  close(): void {
    this.#closing.abort();
  }
}

function stopping(): ServiceError {
  return new ServiceError('unavailable', 'The server is stopping; connect again');
}

/** A store that is away is no reason to end: subscribers keep what they have until it is back. */
async function readIfAvailable(read: () => Promise<string>): Promise<string | null> {
  try {
    return await read();
  } catch (thrown) {
    const error = asServiceError(thrown);
    if (error instanceof ServiceError && error.code === 'unavailable') return null;
    throw error;
  }
}
