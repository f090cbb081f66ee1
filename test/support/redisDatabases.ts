import { createLog } from '../../src/base/log.ts';
import { connectRedis, whenReady } from '../../src/redis/client.ts';

/*
 * Test files share a Redis, and run at once. The outboxes and due sets of a Redis belong to all tenants in it, so everybody who wants to be alone
 * takes one of its 16 databases; 0 is for whoever does not.
 */
const FILES_AT_ONCE = 2;
const PER_FILE = 7;

const first = 1 + PER_FILE * (Number(process.env.VITEST_POOL_ID ?? 0) % FILES_AT_ONCE);
const free = Array.from({ length: PER_FILE }, (_, i) => first + i);

export interface RedisDatabase {
  url: string;
  /** To be called when it is empty. */
  giveBack(): void;
}

export function takeRedisDatabase(): RedisDatabase {
  const database = free.shift();
  if (database === undefined) throw new Error(`more than ${PER_FILE} databases of Redis are in use`);
  return {
    url: `${process.env.LAUREL_TEST_REDIS_URL}?db=${database}`,
    giveBack: () => void free.push(database),
  };
}

/** Lets a Redis of tests answer without waiting for the disk: no test kills it. */
export async function relaxDisk(redisUrl: string): Promise<void> {
  const redis = connectRedis(redisUrl, createLog('test', 'silent'));
  await whenReady(redis);
  await redis.config('SET', 'appendfsync', 'no');
  redis.disconnect();
}
