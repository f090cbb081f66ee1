import type { Redis } from 'ioredis';
import { type Cells, cellsOf } from '../../base/cells.ts';
import { keys, keysOfTenant } from '../keys/redisKeys.ts';
import { readRecords } from '../layouts/recordLayout.ts';
import { SCORED } from '../layouts/reportLayout.ts';

const COMPLETIONS = keysOfTenant.completions('');

export interface AchievementStatistics {
  /** Number of all users of the tenant. */
  users: number;
  /** Number of users who completed an achievement, by its number. */
  completions: Map<number, number>;
}

/** Number of all users of a tenant. */
export async function countUsers(redis: Redis, tenant: number, cells: Cells): Promise<number> {
  const counts = await Promise.all(
    cellsOf(tenant, cells).map((cell) => redis.zcard(keys.seen(tenant, cell))),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

/** The counts that the scripts maintain. */
export async function readAchievementStatistics(
  redis: Redis,
  tenant: number,
  cells: Cells,
): Promise<AchievementStatistics> {
  const [users, stats] = await Promise.all([
    countUsers(redis, tenant, cells),
    Promise.all(cellsOf(tenant, cells).map((cell) => redis.hgetall(keys.stats(tenant, cell)))),
  ]);
  const completions = new Map<number, number>();
  for (const [field, count] of stats.flatMap((ofCell) => Object.entries(ofCell))) {
    const achievement = Number(field.slice(COMPLETIONS.length));
    completions.set(achievement, (completions.get(achievement) ?? 0) + Number(count));
  }
  return { users, completions };
}

/** Ids of `count` random users, as many of each cell; of all users of a cell if it has fewer. */
export async function sampleUsers(
  redis: Redis,
  tenant: number,
  cells: Cells,
  count: number,
): Promise<string[]> {
  const ofCell = Math.ceil(count / cells.spread);
  const found = await Promise.all(
    cellsOf(tenant, cells).map((cell) => redis.zrandmember(keys.seen(tenant, cell), ofCell)),
  );
  return (found as string[][]).flat();
}

/** Ids of the `count` users with the latest events, to the hour. */
export async function latestUsers(
  redis: Redis,
  tenant: number,
  cells: Cells,
  count: number,
): Promise<string[]> {
  const found = await Promise.all(
    cellsOf(tenant, cells).map((cell) =>
      redis.zrevrange(keys.seen(tenant, cell), '0', String(count - 1), 'WITHSCORES'),
    ),
  );
  return readRecords(SCORED, found.flat())
    .sort((a, b) => Number(b.score) - Number(a.score))
    .slice(0, count)
    .map(({ member }) => member);
}
