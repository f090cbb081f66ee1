import { instantOfDelivery } from '../../base/ids.ts';
import type { NotificationTemplate } from '../../rules/config.ts';
import type { Queryable } from '../pool.ts';
import type { UserKey } from '../users/readUserHistory.ts';

/** The rows of deliveries by e-mail and push. Instants are milliseconds since 1970. */

/** What a notification is about, as the relay stored it. */
export interface NoticeFacts {
  /** Numbers of achievements. */
  achievements?: number[];
  /** For streak reminders and recaps. `period` is the number of days, weeks, months or years since 1970. */
  frequency?: string;
  period?: number;
  /** For reactivations. */
  messageNumber?: number;
  days?: number;
  /** Device tokens that have received it, each as the start of its hash. */
  reached?: string[];
}

export interface PendingNotification extends UserKey {
  id: string;
  channel: NotificationTemplate['channel'];
  type: NotificationTemplate['type'];
  /** When it first became due. */
  at: number;
  attempts: number;
  facts: NoticeFacts;
}

/** null if the delivery is not pending, or not due at `now` (ms). */
export async function readPendingNotification(
  db: Queryable,
  id: string,
  now: number,
): Promise<PendingNotification | null> {
  const at = instantOfDelivery(id);
  const { rows } = await db.query<Omit<PendingNotification, 'id' | 'at'>>({
    name: 'pending notification',
    text: `select tenant, user_id as "userId", channel, type, attempts, coalesce(facts, '{}') as facts
      from notification_deliveries where id = $1 and created_at = $2 and status = 'pending' and due_at <= $3`,
    values: [id, new Date(at), new Date(now)],
  });
  return rows[0] ? { id, at, ...rows[0] } : null;
}

export type NotificationOutcome = { status: 'sent' | 'failed' | 'suppressed'; reason: string | null };

/** Records the outcome of a pending notification; any other stays unchanged. */
export async function finishNotification(
  db: Queryable,
  { id, at, attempts }: PendingNotification,
  { status, reason }: NotificationOutcome,
  now: number,
): Promise<void> {
  await db.query({
    name: 'finish notification',
    text: `update notification_deliveries set status = $3, reason = $4, attempts = $5, finished_at = $6
      where id = $1 and created_at = $2 and status = 'pending'`,
    values: [id, new Date(at), status, reason, attempts, new Date(now)],
  });
}

/** Schedules another attempt at `dueAt`. */
export async function postponeNotification(
  db: Queryable,
  { id, at, attempts, facts }: PendingNotification,
  reason: string,
  dueAt: number,
): Promise<void> {
  await db.query({
    name: 'postpone notification',
    text: `update notification_deliveries set reason = $3, attempts = $4, due_at = $5, facts = $6
      where id = $1 and created_at = $2 and status = 'pending'`,
    values: [id, new Date(at), reason, attempts, new Date(dueAt), JSON.stringify(facts)],
  });
}

/** Whether the user has received this notification before: after a change of time zone it may become due again. */
export async function wasNotified(db: Queryable, notification: PendingNotification): Promise<boolean> {
  const { tenant, userId, channel, type, facts, id } = notification;
  if (facts.period === undefined) return false;
  const { rows } = await db.query({
    name: 'was notified',
    text: `select from notification_deliveries
      where tenant = $1 and user_id = $2 and channel = $3 and type = $4 and status = 'sent' and id <> $5
        and facts ->> 'frequency' = $6 and facts ->> 'period' = $7 limit 1`,
    values: [tenant, userId, channel, type, id, facts.frequency, String(facts.period)],
  });
  return rows.length > 0;
}

export interface NotificationFilter {
  userId?: string;
  channel?: string;
  type?: string;
  status?: string;
}

export interface NotificationRecord {
  id: string;
  userId: string;
  channel: NotificationTemplate['channel'];
  type: NotificationTemplate['type'];
  status: 'pending' | 'sent' | 'failed' | 'suppressed';
  reason: string | null;
  attempts: number;
  created: Date;
  due: Date;
  finished: Date | null;
}

/** Deliveries of a tenant, newest first. */
export async function listNotifications(
  db: Queryable,
  tenant: number,
  { userId, channel, type, status }: NotificationFilter,
  { limit, skip }: { limit: number; skip: number },
): Promise<NotificationRecord[]> {
  const { rows } = await db.query<NotificationRecord>(
    `select id, user_id as "userId", channel, type, status, reason, attempts, created_at as created, due_at as due,
       finished_at as finished
     from notification_deliveries
     where tenant = $1 and ($2::text is null or user_id = $2) and ($3::text is null or channel = $3)
       and ($4::text is null or type = $4) and ($5::text is null or status = $5)
     order by created_at desc, id desc limit $6 offset $7`,
    [tenant, userId ?? null, channel ?? null, type ?? null, status ?? null, limit, skip],
  );
  return rows;
}

/** The suppressed email address of a user; null if the user has none. */
export async function findSuppressedAddress(db: Queryable, { tenant, userId }: UserKey): Promise<string | null> {
  const { rows } = await db.query<{ address: string }>({
    name: 'suppressed address',
    text: 'select address from suppressed_addresses where tenant = $1 and user_id = $2',
    values: [tenant, userId],
  });
  return rows[0]?.address ?? null;
}

export async function suppressAddress(
  db: Queryable,
  { tenant, userId }: UserKey,
  address: string,
  reason: string,
  now: number,
): Promise<void> {
  await db.query(
    `insert into suppressed_addresses (tenant, user_id, address, reason, suppressed_at) values ($1, $2, $3, $4, $5)
     on conflict (tenant, user_id) do update set address = excluded.address, reason = excluded.reason,
       suppressed_at = excluded.suppressed_at`,
    [tenant, userId, address, reason, new Date(now)],
  );
}
