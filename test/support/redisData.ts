import type { Redis } from 'ioredis';
import { createLog } from '../../src/base/log.ts';
import { connectRedis, primariesOf, whenReady } from '../../src/redis/connection/redisClient.ts';

/** A connection that is ready. */
export async function openRedis(url: string): Promise<Redis> {
  const redis = connectRedis(url, createLog('test', 'silent'));
  await whenReady(redis);
  return redis;
}

/** The keys of all nodes that match a pattern. */
export async function allKeys(redis: Redis, pattern = '*'): Promise<string[]> {
  return (await Promise.all(primariesOf(redis).map((primary) => primary.keys(pattern)))).flat();
}

/** Removes everything that is in the database, on all nodes. */
export async function emptyRedis(redis: Redis): Promise<void> {
  await Promise.all(primariesOf(redis).map((primary) => primary.flushdb()));
}

/** Changes settings of all nodes. */
export async function configureRedis(redis: Redis, ...settings: string[]): Promise<void> {
  await Promise.all(primariesOf(redis).map((primary) => primary.call('CONFIG', 'SET', ...settings)));
}
