import { createLog } from '../../src/base/log.ts';
import { connectRedis, whenReady } from '../../src/redis/connection/redisClient.ts';
import { REDIS_KIND, type TestRedis, takeNodes } from './redisKind.ts';

/*
 * All workers of the test runner share a Redis. The outboxes and due sets of a database belong to all tenants
 * in it, so a test that needs them for itself takes one of the databases of its worker. Other tests use
 * database 0. A cluster has no databases: each test takes nodes.
 */
const DATABASES = 16;
const PER_WORKER = 5;

const first = 1 + PER_WORKER * (Number(process.env.VITEST_POOL_ID) - 1);
if (first + PER_WORKER > DATABASES)
  throw new Error('Redis has not enough databases for so many workers of the test runner');
const free = Array.from({ length: PER_WORKER }, (_, i) => first + i);

/** Must be emptied before it is given back. */
export async function takeRedisDatabase(): Promise<TestRedis> {
  if (REDIS_KIND !== 'single') return takeNodes();
  const database = free.shift();
  if (database === undefined) throw new Error(`more than ${PER_WORKER} databases of Redis are in use`);
  return {
    url: `${process.env.LAUREL_TEST_REDIS_URL}?db=${database}`,
    stop: async () => void free.push(database),
  };
}

/** Lets a Redis of tests answer without waiting for the disk: no test kills it. */
export async function relaxDisk(redisUrl: string): Promise<void> {
  const redis = connectRedis(redisUrl, createLog('test', 'silent'));
  await whenReady(redis);
  await redis.config('SET', 'appendfsync', 'no');
  redis.disconnect();
}
