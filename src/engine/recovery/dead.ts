import type { Redis } from 'ioredis';
import { WEBHOOK_REDELIVERIES_MAX } from '../../base/limits.ts';
import { redeliverFailed } from '../../db/deliveries/webhookDeliveries.ts';
import {
  countFailedDeliveries,
  type DeadEntry,
  deleteDeadEntry,
  type FailedDeliveries,
  listDeadEntries,
  redeliverFailedNotifications,
} from '../../db/history/deadEntries.ts';
import type { Pool } from '../../db/pool.ts';
import { keys } from '../../redis/keys/redisKeys.ts';

/** Entries that one call lists or replays. */
const ENTRIES_MAX = 1_000;

export interface Dead {
  entries: Omit<DeadEntry, 'fields'>[];
  deliveries: FailedDeliveries[];
}

/**
 * Everything that was put aside: outbox entries that could not be stored, and deliveries that were given up.
 */
export async function listDead(pool: Pool): Promise<Dead> {
  const entries = await listDeadEntries(pool, ENTRIES_MAX);
  return {
    entries: entries.map(({ fields, ...entry }) => entry),
    deliveries: await countFailedDeliveries(pool),
  };
}

/**
 * Puts the dead entries back into their outboxes, and has the deliveries sent again that were given up for
 * what happened since an instant (ms). An entry that still cannot be stored dies again. If the call is cut
 * off between the two steps of an entry, it is relayed twice, which changes nothing.
 */
export async function replayDead(
  { pool, redis }: { pool: Pool; redis: Redis },
  since: number,
  now: number,
): Promise<{ entries: number; webhooks: number; notifications: number }> {
  const entries = await listDeadEntries(pool, ENTRIES_MAX);
  for (const entry of entries) {
    await redis.xadd(keys.outbox(entry.cell), '*', ...entry.fields);
    await deleteDeadEntry(pool, entry);
  }
  const failed = { tenant: null, webhook: null, since, now, limit: WEBHOOK_REDELIVERIES_MAX };
  return {
    entries: entries.length,
    webhooks: await redeliverFailed(pool, failed),
    notifications: await redeliverFailedNotifications(pool, since, now),
  };
}
