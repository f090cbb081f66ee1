import type { Redis } from 'ioredis';
import { type AdjustableClock, type ClockSetting, settingAt, systemClock, timeUnder } from '../base/clock.ts';
import { ServiceError } from '../base/errors.ts';
import { keys } from './keys.ts';

async function readSetting(redis: Redis): Promise<ClockSetting | null> {
  const text = await redis.get(keys.clock);
  return text === null ? null : (JSON.parse(text) as ClockSetting);
}

/** The service's time where the test clock may have been moved, for processes that do not follow it. */
export async function readSharedTime(redis: Redis, machineNow: number): Promise<number> {
  return timeUnder((await readSetting(redis)) ?? { offsetMs: 0 }, machineNow);
}

/** Lets the test clock run from `instant` (ms), unless it has been set before. */
export async function beginSharedTime(redis: Redis, instant: number, machineNow: number): Promise<void> {
  await redis.set(keys.clock, JSON.stringify(settingAt(instant, machineNow, false)), 'NX');
}

/** The test clock: one setting in Redis that every process of the installation follows. */
export class SharedClock {
  readonly #clock: AdjustableClock;
  readonly #redis: Redis;
  readonly #subscriber: Redis;

  constructor(clock: AdjustableClock, redis: Redis) {
    this.#clock = clock;
    this.#redis = redis;
    this.#subscriber = redis.duplicate({ enableOfflineQueue: true });
    this.#subscriber.on('error', () => {});
  }

  /** Takes over the setting, now and whenever another process changes it or the connection comes back. */
  async follow(): Promise<void> {
    this.#subscriber.on('message', () => void this.#load());
    this.#subscriber.on('ready', () => void this.#load());
    await this.#subscriber.subscribe(keys.announcements);
    await this.#load();
  }

  async #load(): Promise<void> {
    const setting = await readSetting(this.#redis).catch(() => null);
    if (setting !== null) this.#clock.adjust(setting);
  }

  get isStopped(): boolean {
    return this.#clock.isStopped;
  }

  /** @throws ServiceError `invalid` when `instant` (ms) is before the service's present */
  assertMayMoveTo(instant: number): void {
    const now = this.#clock.now();
    if (instant < now) {
      throw new ServiceError('invalid', `now must not be before ${new Date(now).toISOString()}: time does not go back`);
    }
  }

  /** From `instant` (ms) on, or from now on when that is past, the service's time runs, or stands still until it is moved again. */
  async moveTo(instant: number, isStopped: boolean): Promise<void> {
    const setting = settingAt(Math.max(instant, this.#clock.now()), systemClock.now(), isStopped);
    await Promise.all([
      this.#redis.set(keys.clock, JSON.stringify(setting)),
      this.#redis.publish(keys.announcements, 'clock'),
    ]);
    this.#clock.adjust(setting);
  }

  close(): void {
    this.#subscriber.disconnect();
  }
}
