import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import {
  type AdjustableClock,
  type ClockSetting,
  settingAt,
  systemClock,
  timeUnder,
} from '../../base/clock.ts';
import { ServiceError } from '../../base/errors.ts';
import { connectSubscriber, publish } from '../connection/redisClient.ts';
import { keys } from '../keys/redisKeys.ts';

/** Pause before the setting is read again, if Redis did not answer. */
const REPEAT_MS = 100;

async function readSetting(redis: Redis): Promise<ClockSetting | null> {
  const text = await redis.get(keys.clock);
  return text === null ? null : (JSON.parse(text) as ClockSetting);
}

/** The service's time (ms) by the test clock, for processes that do not follow the clock. */
export async function readSharedTime(redis: Redis, machineNow: number): Promise<number> {
  return timeUnder((await readSetting(redis)) ?? { offsetMs: 0 }, machineNow);
}

/**
 * Called by a process that starts.
 * @throws Error if the installation's time is not the machine's and the process would not follow it
 */
export async function assertSameClock(redis: Redis, followsTestClock: boolean): Promise<void> {
  const setting = followsTestClock ? null : await readSetting(redis);
  if (setting === null || ('offsetMs' in setting && setting.offsetMs === 0)) return;
  throw new Error(
    'The test clock of this installation has been moved. Set LAUREL_TEST_CLOCK=1 for all its servers and workers, or begin a new installation',
  );
}

/** Starts the test clock at `instant` (ms), unless it has been set before. */
export async function beginSharedTime(redis: Redis, instant: number, machineNow: number): Promise<void> {
  await redis.set(keys.clock, JSON.stringify(settingAt(instant, machineNow, false)), 'NX');
}

/** The test clock: one setting in Redis that every process of the installation follows. */
export class SharedClock {
  readonly #clock: AdjustableClock;
  readonly #redis: Redis;
  readonly #subscriber: Redis;
  readonly #closed = new AbortController();

  constructor(clock: AdjustableClock, redis: Redis) {
    this.#clock = clock;
    this.#redis = redis;
    this.#subscriber = connectSubscriber(redis);
  }

  /** Loads the setting, now and whenever another process changes it or the connection is restored. */
  async follow(): Promise<void> {
    this.#subscriber.on('message', () => void this.#load());
    this.#subscriber.on('ready', () => void this.#load());
    await this.#subscriber.subscribe(keys.clockChanges);
    await this.#load();
  }

  /** Reads until Redis answers: without the setting this process would go by the machine's time. */
  async #load(): Promise<void> {
    while (!this.#closed.signal.aborted) {
      try {
        const setting = await readSetting(this.#redis);
        if (setting !== null) this.#clock.adjust(setting);
        return;
      } catch {
        await sleep(REPEAT_MS, undefined, this.#closed).catch(() => {});
      }
    }
  }

  get isStopped(): boolean {
    return this.#clock.isStopped;
  }

  /** @throws ServiceError `invalid` if `instant` (ms) is before the service's time */
  assertMayMoveTo(instant: number): void {
    const now = this.#clock.now();
    if (instant < now) {
      throw new ServiceError(
        'invalid',
        `now must not be before ${new Date(now).toISOString()}: time does not go back`,
      );
    }
  }

  /**
   * Sets the service's time to `instant` (ms), never back. From there it runs, or stands still if
   * `isStopped`.
   */
  async moveTo(instant: number, isStopped: boolean): Promise<void> {
    const now = this.#clock.now();
    const to = Math.max(instant, now);
    const moved = { from: this.#clock.moved?.from ?? now, to };
    const setting = { ...settingAt(to, systemClock.now(), isStopped), moved };
    await this.#redis.set(keys.clock, JSON.stringify(setting));
    await publish(this.#redis, keys.clockChanges, 'clock');
    this.#clock.adjust(setting);
  }

  close(): void {
    this.#closed.abort();
    this.#subscriber.disconnect();
  }
}
