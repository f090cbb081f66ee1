import type { Redis } from 'ioredis';
import { monotonicMs } from '../../base/clock.ts';
import { connectSubscriber, publish } from '../connection/redisClient.ts';
import { keys } from '../keys/redisKeys.ts';

/** Shortest time between two reports of a server. */
const REPORT_EVERY_MS = 200;
/** Age at which a report is no longer valid: no event has waited for Redis since. */
const VALID_MS = 3 * REPORT_EVERY_MS;
/** Time without a report after which the next event is not expected soon. */
const QUIET_MS = 5_000;

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
  readonly #quietMs: number;
  #averageMs = 0;
  #heardMs = Number.NEGATIVE_INFINITY;

  /** @param quietMs set by tests */
  constructor(redis: Redis, quietMs = QUIET_MS) {
    this.#quietMs = quietMs;
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

  /** Average duration of the script calls of events, ms; 0 if none is under way; null if none is expected. */
  get averageMs(): number | null {
    const ageMs = monotonicMs() - this.#heardMs;
    if (ageMs > this.#quietMs) return null;
    return ageMs > VALID_MS ? 0 : this.#averageMs;
  }

  close(): void {
    this.#subscriber.disconnect();
  }
}
