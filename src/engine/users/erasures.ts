import { cellsOf } from '../../base/cells.ts';
import { keys } from '../../redis/keys/redisKeys.ts';
import type { Stores } from '../stores/stores.ts';

/** Number of erasures of a tenant so far, by cell. */
export type Erasures = ReadonlyMap<number, string>;

/** Read before what is known of users, which is out of date if they have changed. */
export async function readErasures(
  { redis, cells }: Pick<Stores, 'redis' | 'cells'>,
  tenant: number,
): Promise<Erasures> {
  const counted = cellsOf(tenant, cells).map(async (cell) => {
    return [cell, (await redis.get(keys.erasures(tenant, cell))) ?? '0'] as const;
  });
  return new Map(await Promise.all(counted));
}
