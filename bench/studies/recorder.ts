import type { Redis } from 'ioredis';
import type { Cells } from '../../src/base/cells.ts';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import { createLog } from '../../src/base/log.ts';
import { publishRules } from '../../src/engine/calls/rulesStore.ts';
import { createEngine } from '../../src/engine/engine.ts';
import { connectRedis, whenReady } from '../../src/redis/connection/redisClient.ts';
import type { Config } from '../../src/rules/config.ts';
import { userBody } from '../workload.ts';

export const CELLS: Cells = { count: 16, spread: 1 };
const EVENTS_AT_ONCE = 2_000;

export interface Recorder {
  redis: Redis;
  /** Records `count` events. `event` names the user and the idempotency key of each. */
  record(count: number, event: (i: number) => { user: number; key: string | null }): Promise<void>;
}

/** The event path without HTTP. Redis must not contain rules yet. */
export async function createRecorder(
  redisUrl: string,
  config: Config,
  clock: Clock = systemClock,
  cells: Cells = CELLS,
): Promise<Recorder> {
  const redis = connectRedis(redisUrl, createLog('bench', 'warn'));
  await whenReady(redis);
  await publishRules(redis, config, cells, clock.now());
  const { rulesStore, queue } = createEngine({ redis, clock, cells });
  const rules = await rulesStore.load(config.tenant);
  const recordOne = (user: number, idempotencyKey: string | null): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const request = { user: userBody(user) as { id: string }, value: 1 };
      queue.add(rules, { metricKey: 'lessons', request, idempotencyKey, done: resolve, fail: reject });
    });
  return {
    redis,
    record: async (count, event) => {
      for (let from = 0; from < count; from += EVENTS_AT_ONCE) {
        const length = Math.min(EVENTS_AT_ONCE, count - from);
        await Promise.all(
          Array.from({ length }, (_, i) => {
            const { user, key } = event(from + i);
            return recordOne(user, key);
          }),
        );
      }
    },
  };
}
