import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../../base/errors.ts';
import { LIVE_READ_INTERVAL_MS, LIVE_READS_MAX } from '../../base/limits.ts';
import { asServiceError } from '../../engine/stores/availability.ts';

/** Open live streams of one application key and of one tenant on a server. */
export const LIVE_STREAMS_OF_KEY_MAX = 20;
const LIVE_STREAMS_OF_TENANT_MAX = 5_000;

/** A client that watches a read. `end` is the last call. */
export interface LiveSubscriber {
  push(text: string): void;
  end(reason: unknown): void;
}

export interface Watch {
  /** Equal for equal reads. Known once it has been read. */
  name: string;
  /** The application key or the user's tokens; null for an admin key. Known once it has been read. */
  keyId: string | null;
  /** Known once it has been read. */
  tenant: number | null;
  read(): Promise<string>;
  /** @throws ServiceError `unauthorized` once the key or token is no longer valid */
  assertValid(): void;
}

interface LiveRead {
  latest: string;
  /** With the watch by which each of them came: its key may be revoked. */
  readonly subscribers: Map<LiveSubscriber, Watch>;
}

/**
 * Repeats a read while it has subscribers, once for all of them. They get the answer whenever it differs from
 * the one before. The event path does nothing for it: a leaderboard without subscribers costs nothing, and a
 * leaderboard that changes a thousand times a second is sent a few times.
 */
export class LiveReads {
  readonly #reads = new Map<string, LiveRead>();
  readonly #streams = new Streams();
  readonly #closing = new AbortController();

  get subscribers(): number {
    let count = 0;
    for (const { subscribers } of this.#reads.values()) count += subscribers.size;
    return count;
  }

  /**
   * Sends what the watch reads at once and whenever it changes, until the returned function is called or the
   * key of the watch is no longer valid.
   * @throws what the first read throws; `tooMany` if the key or the tenant has too many streams;
   * `unavailable` when too many different reads are watched
   */
  async subscribe(watch: Watch, subscriber: LiveSubscriber): Promise<() => void> {
    const text = await watch.read();
    const { name } = watch;
    if (this.#closing.signal.aborted) throw stopping();
    const known = this.#reads.get(name);
    if (known === undefined && this.#reads.size >= LIVE_READS_MAX) {
      throw new ServiceError('unavailable', 'Too many different live reads');
    }
    this.#streams.add(watch);
    const live = known ?? { latest: text, subscribers: new Map() };
    live.subscribers.set(subscriber, watch);
    subscriber.push(live.latest);
    if (known === undefined) {
      this.#reads.set(name, live);
      void this.#follow(name, live, watch.read);
    }
    return () => this.#remove(live, subscriber);
  }

  #remove({ subscribers }: LiveRead, subscriber: LiveSubscriber): void {
    const watch = subscribers.get(subscriber);
    if (watch !== undefined) this.#streams.remove(watch);
    subscribers.delete(subscriber);
  }

  async #follow(name: string, live: LiveRead, read: () => Promise<string>): Promise<void> {
    const { signal } = this.#closing;
    try {
      while (live.subscribers.size > 0) {
        await sleep(LIVE_READ_INTERVAL_MS, undefined, { signal });
        this.#endRevoked(live);
        const text = await readIfAvailable(read);
        if (text === null || text === live.latest) continue;
        live.latest = text;
        for (const subscriber of live.subscribers.keys()) subscriber.push(text);
      }
    } catch (error) {
      for (const subscriber of live.subscribers.keys()) {
        this.#remove(live, subscriber);
        subscriber.end(signal.aborted ? stopping() : error);
      }
    } finally {
      this.#reads.delete(name);
    }
  }

  #endRevoked(live: LiveRead): void {
    for (const [subscriber, watch] of live.subscribers) {
      try {
        watch.assertValid();
      } catch (error) {
        this.#remove(live, subscriber);
        subscriber.end(error);
      }
    }
  }

  /** Ends every subscription; clients come back to whichever server runs. */
  close(): void {
    this.#closing.abort();
  }
}

/** What the stream of a watch counts for. */
const limitsOf = ({ keyId, tenant }: Watch) => [
  ...(keyId === null ? [] : [{ name: `key ${keyId}`, whose: 'This key', max: LIVE_STREAMS_OF_KEY_MAX }]),
  { name: `tenant ${tenant}`, whose: 'The tenant', max: LIVE_STREAMS_OF_TENANT_MAX },
];

/** The open streams of each key and tenant. */
class Streams {
  readonly #counts = new Map<string, number>();

  /** @throws ServiceError `tooMany` */
  add(watch: Watch): void {
    const limits = limitsOf(watch);
    for (const { name, whose, max } of limits) {
      const message = `${whose} has reached the limit of ${max} live streams: close one first`;
      if (this.#count(name) >= max) throw new ServiceError('tooMany', message);
    }
    for (const { name } of limits) this.#counts.set(name, this.#count(name) + 1);
  }

  remove(watch: Watch): void {
    for (const { name } of limitsOf(watch)) {
      const count = this.#count(name) - 1;
      if (count > 0) this.#counts.set(name, count);
      else this.#counts.delete(name);
    }
  }

  #count(name: string): number {
    return this.#counts.get(name) ?? 0;
  }
}

function stopping(): ServiceError {
  return new ServiceError('unavailable', 'The server is stopping; connect again');
}

/** null while a store is unavailable: subscribers keep the last state. */
async function readIfAvailable(read: () => Promise<string>): Promise<string | null> {
  try {
    return await read();
  } catch (thrown) {
    const error = asServiceError(thrown);
    if (error instanceof ServiceError && error.code === 'unavailable') return null;
    throw error;
  }
}
