import type { Redis } from 'ioredis';
import { planConfig } from '../../src/admin/files/applyConfig.ts';
import { systemClock } from '../../src/base/clock.ts';
import { runPipeline } from '../../src/redis/connection/pipeline.ts';
import { type Config, emptyConfig } from '../../src/rules/config.ts';
import type { Bench } from '../bench.ts';
import { readBenchConfig } from '../benchConfig.ts';
import type { Print } from '../report/report.ts';
import type { Measurements } from '../report/results.ts';
import type { Study } from '../study.ts';
import { createRecorder } from './recorder.ts';

const USERS = 50_000;
/** Idempotency keys of each case, and the keys of a user and metric among them. */
const KEYS = 50_000;
const KEYS_OF_USER = [1, 10, 100, 5_000];
const WINDOWS = [null, 86_400];

export const memory: Study = {
  name: 'memory',
  measures: 'bytes of Redis per user and per idempotency key',
  isDefault: true,
  measure: measureMemory,
};

/**
 * Records events in an empty Redis. Compares its memory before and after for users, without the outbox, and
 * adds up that of the sets for idempotency keys.
 */
async function measureMemory({ redisUrl }: Bench, print: Print): Promise<Measurements> {
  const now = systemClock.now();
  const plan = planConfig(emptyConfig(1), await readBenchConfig(), now);
  const { redis, record } = await createRecorder(redisUrl, { ...plan.config, version: 1 });

  const empty = await usedMemory(redis);
  await record(USERS, (i) => ({ user: i, key: null }));
  const withUsers = await usedMemory(redis);
  redis.disconnect();
  const perUser_bytes = (withUsers - empty) / USERS;
  print(`Memory: ${perUser_bytes.toFixed(0)} bytes per user\n`);
  let version = 1;
  let perKey_bytes = 0;
  for (const idempotencyWindowSeconds of WINDOWS) {
    const settings = { ...plan.config.settings, idempotencyWindowSeconds };
    const perKey = await measureKeys(redisUrl, { ...plan.config, settings, version: ++version });
    const under = idempotencyWindowSeconds === null ? 'no window' : 'a window of a day';
    print(`Bytes per idempotency key under ${under}:`);
    for (const [i, bytes] of perKey.entries()) print(` ${bytes.toFixed(1)} at ${KEYS_OF_USER[i]} a user;`);
    print('\n');
    if (idempotencyWindowSeconds === null) perKey_bytes = Math.max(...perKey);
  }
  return { perUser_bytes, perKey_bytes };
}

/** Bytes of an idempotency key, by keys of a user and metric. */
async function measureKeys(redisUrl: string, config: Config): Promise<number[]> {
  const { redis, record } = await createRecorder(redisUrl, config);
  const bytes: number[] = [];
  for (const keysOfUser of KEYS_OF_USER) {
    const users = KEYS / keysOfUser;
    const event = (i: number) => ({ user: i % users, key: `${config.version}-${keysOfUser}-${i}` });
    const before = await memoryOfKeys(redis);
    await record(KEYS, event);
    bytes.push(((await memoryOfKeys(redis)) - before) / KEYS);
  }
  redis.disconnect();
  return bytes;
}

async function memoryOfKeys(redis: Redis): Promise<number> {
  const sets = await redis.keys('*:k:*');
  const bytes = (await runPipeline(
    redis,
    sets.map((set) => ['memory', 'usage', set]),
  )) as number[];
  return bytes.reduce((sum, ofSet) => sum + ofSet, 0);
}

async function usedMemory(redis: Redis): Promise<number> {
  const outboxes = await redis.keys('*:out');
  if (outboxes.length > 0) await redis.del(...outboxes);
  const info = await redis.info('memory');
  return Number(/used_memory_dataset:(\d+)/.exec(info)![1]);
}
