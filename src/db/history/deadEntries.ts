import type { Channel } from '../deliveries/dueDeliveries.ts';
import type { Queryable } from '../pool.ts';

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

/** The oldest `limit` dead entries. */
export async function listDeadEntries(db: Queryable, limit: number): Promise<DeadEntry[]> {
  const { rows } = await db.query<DeadEntry>(
    `select cell, entry_id as "entryId", tenant, reason, died_at as "diedAt", fields from dead_entries
     order by died_at, cell, entry_id limit $1`,
    [limit],
  );
  return rows;
}

export async function countDeadEntries(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ count: number }>('select count(*)::int as count from dead_entries');
  return rows[0]!.count;
}

export async function deleteDeadEntry(db: Queryable, { cell, entryId }: DeadEntry): Promise<void> {
  await db.query('delete from dead_entries where cell = $1 and entry_id = $2', [cell, entryId]);
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

export async function countFailedDeliveries(db: Queryable): Promise<FailedDeliveries[]> {
  const { rows } = await db.query<FailedDeliveries>(
    `select channel, reason, count(*)::int as count, min(created_at) as oldest, max(created_at) as newest
     from (select 'webhooks' as channel, reason, created_at from webhook_deliveries where status = 'failed'
       union all select channel, reason, created_at from notification_deliveries where status = 'failed') as failed
     group by channel, reason order by channel, count desc`,
  );
  return rows;
}

/** Makes failed notifications created since an instant (ms) pending again. @returns their number */
export async function redeliverFailedNotifications(
  db: Queryable,
  since: number,
  now: number,
): Promise<number> {
  const { rowCount } = await db.query(
    `update notification_deliveries set status = 'pending', reason = null, due_at = $2, finished_at = null, attempts = 0
     where status = 'failed' and created_at >= $1`,
    [new Date(since), new Date(now)],
  );
  return rowCount ?? 0;
}
