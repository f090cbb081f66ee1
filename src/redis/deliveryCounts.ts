import type { Redis } from 'ioredis';
import { keys } from './keys.ts';

/** How often deliveries of a channel ended in one way, over all workers since Redis was new. */
export interface DeliveryCount {
  channel: string;
  outcome: string;
  reason: string;
  count: number;
}

/**
 * Counts what became of a delivery. Does not wait and does not fail: counts are no record.
 * @param reason one of a few; it becomes a label
 */
export function countDelivery(redis: Redis, channel: string, outcome: string, reason: string | null): void {
  const field = JSON.stringify([channel, outcome, reason ?? '']);
  redis.hincrby(keys.deliveryCounts, field, 1).catch(() => {});
}

export async function readDeliveryCounts(redis: Redis): Promise<DeliveryCount[]> {
  return Object.entries(await redis.hgetall(keys.deliveryCounts)).map(([field, count]) => {
    const [channel, outcome, reason] = JSON.parse(field) as [string, string, string];
    return { channel, outcome, reason, count: Number(count) };
  });
}
