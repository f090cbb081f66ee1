import { NOTIFICATION_DELIVERIES_DAYS, WEBHOOK_DELIVERIES_DAYS } from '../../base/limits.ts';
import { dayOf, listPartitions, lockPartitions, type PartitionedTable, periodName } from '../partitions.ts';
import { type Pool, transaction } from '../pool.ts';
import { dropOldWindows } from './webhookWindows.ts';

/**
 * Longest wait for a lock: while it waits behind a long read, all other statements wait behind it. The next
 * run tries again.
 */
const LOCK_MS_MAX = 2_000;

/** Longer than WEBHOOK_THROTTLE_MS and than most attempts of a delivery take. */
const WINDOWS_KEPT_MS = 24 * 3_600_000;

const KEPT_DAYS: [table: PartitionedTable, days: number][] = [
  ['webhook_deliveries', WEBHOOK_DELIVERIES_DAYS],
  ['notification_deliveries', NOTIFICATION_DELIVERIES_DAYS],
];

/**
 * Drops the partitions (days) of deliveries that are older than the log is kept. Deliveries that were never
 * sent are dropped too. Also drops what is known of throttled deliveries for the next ones.
 * @param now ms
 * @returns the dropped days, as "table YYYY-MM-DD"
 */
export async function dropOldDeliveries(pool: Pool, now: number, signal?: AbortSignal): Promise<string[]> {
  const dropped: string[] = [];
  await dropOldWindows(pool, now - WINDOWS_KEPT_MS, signal);
  for (const [table, days] of KEPT_DAYS) {
    for (const { name, period } of await listPartitions(pool, table)) {
      if (signal?.aborted || period >= dayOf(now) - days) break;
      await transaction(pool, async (client) => {
        await client.query(`set local lock_timeout = ${LOCK_MS_MAX}`);
        await lockPartitions(client);
        await client.query(`drop table if exists ${name}`);
      });
      dropped.push(`${table} ${periodName('day', period)}`);
    }
  }
  return dropped;
}
