import type { Redis } from 'ioredis';
import { cellOf } from '../../base/cells.ts';
import { keys, keysOfTenant } from './redisKeys.ts';

const COMPLETIONS = keysOfTenant.completions('');

export interface AchievementStatistics {
  /** Number of all users of the tenant. */
  users: number;
  /** Number of users who completed an achievement, by its number. */
  completions: Map<number, number>;
}

/** Number of all users of a tenant. */
export function countUsers(redis: Redis, tenant: number, cells: number): Promise<number> {
  return redis.zcard(keys.seen(tenant, cellOf(tenant, cells)));
}

/** The counts that the scripts maintain. */
export async function readAchievementStatistics(
  redis: Redis,
  tenant: number,
  cells: number,
): Promise<AchievementStatistics> {
  const [users, stats] = await Promise.all([
    countUsers(redis, tenant, cells),
    redis.hgetall(keys.stats(tenant, cellOf(tenant, cells))),
  ]);
  const completions = new Map<number, number>();
  for (const [field, count] of Object.entries(stats)) {
    completions.set(Number(field.slice(COMPLETIONS.length)), Number(count));
  }
  return { users, completions };
}

/** Ids of `count` random users; of all users if there are fewer. */
export function sampleUsers(redis: Redis, tenant: number, cells: number, count: number): Promise<string[]> {
  return redis.zrandmember(keys.seen(tenant, cellOf(tenant, cells)), count) as Promise<string[]>;
}
