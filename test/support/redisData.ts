import type { Redis } from 'ioredis';
import { type Cells, cellsOf } from '../../src/base/cells.ts';
import { createLog } from '../../src/base/log.ts';
import { connectRedis, primariesOf, whenReady } from '../../src/redis/connection/redisClient.ts';
import { keys } from '../../src/redis/keys/redisKeys.ts';
import { userIdOf } from '../../src/redis/state/rankingEntries.ts';

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

/** Names of the rankings of a tenant (keysOfTenant.board without `lb:`), each once for all its cells. */
export async function rankingNames(redis: Redis, tenant: number, cells: Cells): Promise<string[]> {
  const names = new Set<string>();
  for (const cell of cellsOf(tenant, cells)) {
    const prefix = `${keys.tenantPrefix(tenant, cell)}lb:`;
    for (const key of await allKeys(redis, `${prefix}*`)) names.add(key.slice(prefix.length));
  }
  return [...names];
}

/** Users and scores of a reply of ZRANGE for a ranking. */
export function scoresOf(flat: readonly string[]): string[] {
  return Array.from({ length: flat.length / 2 }, (_, i) => `${userIdOf(flat[2 * i]!)} ${flat[2 * i + 1]}`);
}
