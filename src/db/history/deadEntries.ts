import type { Channel } from '../deliveries/dueDeliveries.ts';
import { type Pool, type Queryable, transaction } from '../pool.ts';
import { all, execute, value } from '../rows.ts';
import { assertFence } from './relayFence.ts';

/** An outbox entry that could not be understood or stored. */
export interface DeadEntry {
  cell: number;
  entryId: string;
  /** null if the tenant cannot be read from the entry. */
  tenant: number | null;
  reason: string;
  diedAt: Date;
  /** Alternating names and values. */
  fields: Buffer[];
}

/** @throws FencedOffError if `fence` has been raised */
export function writeDeadEntry(
  pool: Pool,
  { tenant, cell, entryId, reason, fields }: Omit<DeadEntry, 'diedAt'>,
  fence: string,
  now: number,
): Promise<void> {
  return transaction(pool, async (client) => {
    await assertFence(client, fence);
    await execute(client)`
      insert into dead_entries (tenant, cell, entry_id, reason, fields, died_at)
      values (${tenant}, ${cell}, ${entryId}, ${reason}, ${fields}, ${new Date(now)})
      on conflict do nothing`;
  });
}

/** The oldest `limit` dead entries. */
export const listDeadEntries = (db: Queryable, limit: number): Promise<DeadEntry[]> =>
  all(db)`
    select cell, entry_id as "entryId", tenant, reason, died_at as "diedAt", fields from dead_entries
    order by died_at, cell, entry_id limit ${limit}`;

export const countDeadEntries = (db: Queryable): Promise<number> =>
  value(db)`select count(*)::int as count from dead_entries`;

export async function deleteDeadEntry(db: Queryable, { cell, entryId }: DeadEntry): Promise<void> {
  await execute(db)`delete from dead_entries where cell = ${cell} and entry_id = ${entryId}`;
}

/** Number of failed deliveries of a channel, by reason. */
export interface FailedDeliveries {
  channel: Channel;
  reason: string | null;
  count: number;
  /** Creation of the oldest and of the newest of them. */
  oldest: Date;
  newest: Date;
}

export const countFailedDeliveries = (db: Queryable): Promise<FailedDeliveries[]> =>
  all(db)`
    select channel, reason, count(*)::int as count, min(created_at) as oldest, max(created_at) as newest
    from (select 'webhooks' as channel, reason, created_at from webhook_deliveries where status = 'failed'
      union all select channel, reason, created_at from notification_deliveries
      where status = 'failed') as failed
    group by channel, reason order by channel, count desc`;

/** Makes failed notifications created since an instant (ms) pending again. @returns their number */
export const redeliverFailedNotifications = (db: Queryable, since: number, now: number): Promise<number> =>
  execute(db)`
    update notification_deliveries set status = 'pending', reason = null, due_at = ${new Date(now)},
      finished_at = null, attempts = 0, template = null, variant = null
    where status = 'failed' and created_at >= ${new Date(since)}`;
