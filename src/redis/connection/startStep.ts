import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import type { Log } from '../../base/log.ts';
import { isRedisOutage } from './redisAvailability.ts';
import { whenReady } from './redisClient.ts';

const RETRY_MS = 500;

/** Runs a step of the start, which can be repeated: once more whenever Redis is lost meanwhile. */
export async function startStep<T>(redis: Redis, log: Log, step: () => Promise<T>): Promise<T> {
  for (;;) {
    await whenReady(redis);
    try {
      return await step();
    } catch (error) {
      if (!isRedisOutage(error)) throw error;
      log.warn({ error: (error as Error).message }, 'redis was lost during the start: trying again');
      await sleep(RETRY_MS);
    }
  }
}
