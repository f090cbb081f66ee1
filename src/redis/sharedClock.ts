import type { Redis } from 'ioredis';
import type { OffsetClock } from '../base/clock.ts';
import { ServiceError } from '../base/errors.ts';
import { keys } from './keys.ts';

/** The test clock: one offset in Redis that every process of the installation follows. */
export class SharedClock {
  readonly #clock: OffsetClock;
  readonly #redis: Redis;
  readonly #subscriber: Redis;

  constructor(clock: OffsetClock, redis: Redis) {
    this.#clock = clock;
    this.#redis = redis;
    this.#subscriber = redis.duplicate({ enableOfflineQueue: true });
    this.#subscriber.on('error', () => {});
  }

  /** Takes over the offset, now and whenever another process moves it or the connection comes back. */
  async follow(): Promise<void> {
    this.#subscriber.on('message', () => void this.#load());
    this.#subscriber.on('ready', () => void this.#load());
    await this.#subscriber.subscribe(keys.announcements);
    await this.#load();
  }

  async #load(): Promise<void> {
    const offset = await this.#redis.get(keys.clock).catch(() => null);
    if (offset !== null) this.#clock.setOffset(Number(offset));
  }

  /** @throws ServiceError `invalid` when `instant` (ms) is before the service's present */
  assertMayMoveTo(instant: number): void {
    const now = this.#clock.now();
    if (instant < now) {
      throw new ServiceError('invalid', `now must not be before ${new Date(now).toISOString()}: time does not go back`);
    }
  }

  /** @throws ServiceError `invalid` when `instant` (ms) is before the service's present */
  async moveTo(instant: number): Promise<void> {
    this.assertMayMoveTo(instant);
    const now = this.#clock.now();
    const offset = instant - (now - this.#clock.offsetMs);
    await this.#redis.set(keys.clock, offset);
    this.#clock.setOffset(offset);
    await this.#redis.publish(keys.announcements, 'clock');
  }

  close(): void {
    this.#subscriber.disconnect();
  }
}
