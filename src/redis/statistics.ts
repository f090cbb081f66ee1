import type { Redis } from 'ioredis';
import { allShards } from '../base/shards.ts';
import { keys, keysOfTenant } from './keys.ts';

const COMPLETIONS = keysOfTenant.completions('');

export interface AchievementStatistics {
  /** Number of all users of the tenant. */
  users: number;
  /** Number of users who completed an achievement, by its number. */
  completions: Map<number, number>;
}

/** Number of all users of a tenant. */
export async function countUsers(redis: Redis, tenant: number, shards: number): Promise<number> {
  const all = allShards(shards);
  const sizes = await Promise.all(all.map((shard) => redis.zcard(keys.seen(tenant, shard))));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Sums the counts that the scripts maintain for each shard. */
export async function readAchievementStatistics(
  redis: Redis,
  tenant: number,
  shards: number,
): Promise<AchievementStatistics> {
  const all = allShards(shards);
  const [users, stats] = await Promise.all([
    countUsers(redis, tenant, shards),
    Promise.all(all.map((shard) => redis.hgetall(keys.stats(tenant, shard)))),
  ]);
  const completions = new Map<number, number>();
  for (const [field, count] of stats.flatMap((shard) => Object.entries(shard))) {
    const no = Number(field.slice(COMPLETIONS.length));
    completions.set(no, (completions.get(no) ?? 0) + Number(count));
  }
  return { users, completions };
}

/** Ids of about `count` random users, a share from each shard; of all users if there are fewer. */
export async function sampleUsers(redis: Redis, tenant: number, shards: number, count: number): Promise<string[]> {
  const share = Math.ceil(count / shards);
  const samples = await Promise.all(
    allShards(shards).map((shard) => redis.zrandmember(keys.seen(tenant, shard), share)),
  );
  return (samples as string[][]).flat();
}
