import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { planConfig } from '../src/admin/applyConfig.ts';
import { parseConfigFile } from '../src/admin/configFile.ts';
import { systemClock } from '../src/base/clock.ts';
import { createLog } from '../src/base/log.ts';
import { packageRoot } from '../src/base/packageRoot.ts';
import { connectRedis, whenReady } from '../src/redis/client.ts';
import { EventQueue } from '../src/redis/eventQueue.ts';
import { publishRules, RulesStore } from '../src/redis/rulesStore.ts';
import { Scripts } from '../src/redis/scripts.ts';
import { RememberedZones } from '../src/redis/zones.ts';
import { emptyConfig } from '../src/rules/config.ts';
import { userBody } from './workload.ts';

const USERS = 50_000;
const KEYED_USERS = 500;
const KEYS_PER_USER = 100;
const SHARDS = 16;
const EVENTS_AT_ONCE = 2_000;

export interface MemoryResult {
  /** Everything that grows with users, without the outbox. */
  perUser_bytes: number;
  perIdempotencyKey_bytes: number;
}

/** Records events in an empty Redis and looks at its memory before and after. */
export async function measureMemory(redisUrl: string): Promise<MemoryResult> {
  const redis = connectRedis(redisUrl, createLog('bench', 'warn'));
  await whenReady(redis);
  const now = systemClock.now();
  const text = await readFile(join(packageRoot(), 'bench', 'config.yaml'), 'utf8');
  const plan = planConfig(emptyConfig(1), parseConfigFile(text, 'bench/config.yaml'), now);
  await publishRules(redis, { ...plan.config, version: 1 }, SHARDS);
  const store = new RulesStore(redis);
  const rules = await store.load(1);
  const parts = {
    scripts: new Scripts(redis),
    store,
    zones: new RememberedZones(),
    clock: systemClock,
    shards: SHARDS,
  };
  const queue = new EventQueue(parts);
  const record = (user: number, idempotencyKey: string | null): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const request = { user: userBody(user) as { id: string }, value: 1 };
      queue.add(rules, { metricKey: 'lessons', request, idempotencyKey, done: resolve, fail: reject });
    });
  const recordMany = async (count: number, event: (i: number) => Promise<unknown>): Promise<void> => {
    for (let from = 0; from < count; from += EVENTS_AT_ONCE) {
      await Promise.all(Array.from({ length: Math.min(EVENTS_AT_ONCE, count - from) }, (_, i) => event(from + i)));
    }
  };

  const empty = await usedMemory(redis);
  await recordMany(USERS, (i) => record(i, null));
  const withUsers = await usedMemory(redis);
  await recordMany(KEYED_USERS * KEYS_PER_USER, (i) => record(i % KEYED_USERS, `key-${i}`));
  const withKeys = await usedMemory(redis);
  redis.disconnect();
  return {
    perUser_bytes: (withUsers - empty) / USERS,
    perIdempotencyKey_bytes: (withKeys - withUsers) / (KEYED_USERS * KEYS_PER_USER),
  };
}

async function usedMemory(redis: Redis): Promise<number> {
  const outboxes = await redis.keys('*:out');
  if (outboxes.length > 0) await redis.del(...outboxes);
  const info = await redis.info('memory');
  return Number(/used_memory_dataset:(\d+)/.exec(info)![1]);
}
