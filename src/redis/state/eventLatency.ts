import type { Redis } from 'ioredis';
import { monotonicMs } from '../../base/clock.ts';
import { connectSubscriber, publish } from '../connection/redisClient.ts';
import { keys } from './redisKeys.ts';

/** Shortest time between two reports of a server. */
const REPORT_EVERY_MS = 200;
/** Age at which a report is no longer valid: no event has waited for Redis since. */
const VALID_MS = 3 * REPORT_EVERY_MS;

/** Reports to workers how long script calls of events take while there are any. */
export class EventLatencyReporter {
  readonly #redis: Redis;
  #sumMs = 0;
  #calls = 0;
  #reportedMs = Number.NEGATIVE_INFINITY;

  constructor(redis: Redis) {
    this.#redis = redis;
  }

  /** @param nowMs monotonic */
  add(tookMs: number, nowMs: number): void {
    this.#sumMs += tookMs;
    this.#calls++;
    if (nowMs - this.#reportedMs < REPORT_EVERY_MS) return;
    const averageMs = this.#sumMs / this.#calls;
    this.#reportedMs = nowMs;
    this.#sumMs = 0;
    this.#calls = 0;
    // A report that is lost makes a worker rest less until the next one.
    publish(this.#redis, keys.eventLatency, String(averageMs)).catch(() => {});
  }
}

/** Follows the reports of all servers. */
export class EventLatency {
  readonly #subscriber: Redis;
  #averageMs = 0;
  #heardMs = Number.NEGATIVE_INFINITY;

  constructor(redis: Redis) {
    this.#subscriber = connectSubscriber(redis);
    this.#subscriber.on('message', (_, averageMs) => {
      this.#averageMs = Number(averageMs);
      this.#heardMs = monotonicMs();
    });
    // Without the subscription, workers do not rest.
    this.#subscriber.on('ready', () => {
      this.#subscriber.subscribe(keys.eventLatency).catch(() => {});
    });
  }

  /** Average duration of the script calls of events, ms; null if there were none lately. */
  get averageMs(): number | null {
    return monotonicMs() - this.#heardMs > VALID_MS ? null : this.#averageMs;
  }

  close(): void {
    this.#subscriber.disconnect();
  }
}
