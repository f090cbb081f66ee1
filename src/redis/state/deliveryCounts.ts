import type { Redis } from 'ioredis';
import { keys } from '../keys/redisKeys.ts';

/** Number of deliveries of a channel with one outcome, over all workers, since Redis was last empty. */
export interface DeliveryCount {
  channel: string;
  outcome: string;
  reason: string;
  count: number;
}

/**
 * Counts of this turn of the event loop, by field. They are written together, because Redis syncs every write
 * to disk.
 */
const waiting = new WeakMap<Redis, Map<string, number>>();

/**
 * Counts the outcome of a delivery. Does not wait and does not fail, so the counts are not exact.
 * @param reason one of a small set, because it becomes a label in `/metrics`
 */
export function countDelivery(redis: Redis, channel: string, outcome: string, reason: string | null): void {
  let counts = waiting.get(redis);
  if (counts === undefined) {
    counts = new Map();
    waiting.set(redis, counts);
    setImmediate(writeCounts, redis, counts);
  }
  const field = JSON.stringify([channel, outcome, reason ?? '']);
  counts.set(field, (counts.get(field) ?? 0) + 1);
}

function writeCounts(redis: Redis, counts: ReadonlyMap<string, number>): void {
  waiting.delete(redis);
  for (const [field, count] of counts) redis.hincrby(keys.deliveryCounts, field, count).catch(() => {});
}

export async function readDeliveryCounts(redis: Redis): Promise<DeliveryCount[]> {
  return Object.entries(await redis.hgetall(keys.deliveryCounts)).map(([field, count]) => {
    const [channel, outcome, reason] = JSON.parse(field) as [string, string, string];
    return { channel, outcome, reason, count: Number(count) };
  });
}
