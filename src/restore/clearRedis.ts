import type { Redis } from 'ioredis';
import { allCells, type Cells, cellsOf } from '../base/cells.ts';
import { runPipeline } from '../redis/connection/pipeline.ts';
import { primariesOf } from '../redis/connection/redisClient.ts';
import { keys } from '../redis/state/redisKeys.ts';

const KEYS_PER_SCAN = 1_000;
/** Keys of cells. */
const OURS = /^\{\d+\}:/;

/**
 * Whether Redis contains users or changes that were not relayed. Rules, empty outboxes and BullMQ's keys do
 * not count.
 */
export async function holdsUsers(redis: Redis, tenants: readonly number[], cells: Cells): Promise<boolean> {
  const commands = [
    ...allCells(cells).map((cell) => ['xlen', keys.outbox(cell)]),
    ...tenants.flatMap((tenant) => cellsOf(tenant, cells).map((cell) => ['exists', keys.seen(tenant, cell)])),
  ];
  return (await runPipeline(redis, commands)).some((count) => Number(count) > 0);
}

/** Removes laurel's keys and no others. */
export async function clearRedis(redis: Redis): Promise<void> {
  await redis.unlink(keys.tenants);
  for (const primary of primariesOf(redis)) await clearNode(redis, primary);
}

async function clearNode(redis: Redis, primary: Redis): Promise<void> {
  let cursor = '0';
  do {
    const [next, found] = await primary.scan(cursor, 'MATCH', '{*', 'COUNT', KEYS_PER_SCAN);
    const ours = found.filter((key) => OURS.test(key));
    await runPipeline(
      redis,
      ours.map((key) => ['unlink', key]),
    );
    cursor = next;
  } while (cursor !== '0');
}
