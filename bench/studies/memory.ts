import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { planConfig } from '../../src/admin/files/applyConfig.ts';
import { parseConfigFile } from '../../src/admin/files/readConfigFile.ts';
import { systemClock } from '../../src/base/clock.ts';
import { packageRoot } from '../../src/base/packageRoot.ts';
import { emptyConfig } from '../../src/rules/config.ts';
import type { Bench } from '../bench.ts';
import type { Print } from '../report/report.ts';
import type { Measurements } from '../report/results.ts';
import type { Study } from '../study.ts';
import { createRecorder } from './recorder.ts';

const USERS = 50_000;
const KEYED_USERS = 500;
const KEYS_PER_USER = 100;

export const memory: Study = {
  name: 'memory',
  measures: 'bytes of Redis per user and per idempotency key',
  isDefault: true,
  measure: measureMemory,
};

/** Records events in an empty Redis and compares its memory before and after, without the outbox. */
async function measureMemory({ redisUrl }: Bench, print: Print): Promise<Measurements> {
  const now = systemClock.now();
  const text = await readFile(join(packageRoot(), 'bench', 'config.yaml'), 'utf8');
  const plan = planConfig(emptyConfig(1), parseConfigFile(text, 'bench/config.yaml'), now);
  const { redis, record } = await createRecorder(redisUrl, { ...plan.config, version: 1 });

  const empty = await usedMemory(redis);
  await record(USERS, (i) => ({ user: i, key: null }));
  const withUsers = await usedMemory(redis);
  await record(KEYED_USERS * KEYS_PER_USER, (i) => ({ user: i % KEYED_USERS, key: `key-${i}` }));
  const withKeys = await usedMemory(redis);
  redis.disconnect();
  const perUser_bytes = (withUsers - empty) / USERS;
  const perKey_bytes = (withKeys - withUsers) / (KEYED_USERS * KEYS_PER_USER);
  print(
    `Memory: ${perUser_bytes.toFixed(0)} bytes per user, ${perKey_bytes.toFixed(1)} bytes per idempotency key\n`,
  );
  return { perUser_bytes, perKey_bytes };
}

async function usedMemory(redis: Redis): Promise<number> {
  const outboxes = await redis.keys('*:out');
  if (outboxes.length > 0) await redis.del(...outboxes);
  const info = await redis.info('memory');
  return Number(/used_memory_dataset:(\d+)/.exec(info)![1]);
}
