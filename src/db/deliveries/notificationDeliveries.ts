import { instantOfDelivery } from '../../base/ids.ts';
import type { NotificationTemplate } from '../../rules/config.ts';
import type { Queryable } from '../pool.ts';
import type { UserKey } from '../users/userMap.ts';

/** The rows of deliveries by e-mail and push. Instants are milliseconds since 1970. */

/** What a notification is about, as the relay stored it. */
export interface NoticeFacts {
  /** Numbers of achievements. */
  achievements?: number[];
  /** For streak reminders and recaps. `period` is the number of days, weeks, months or years since 1970. */
  frequency?: string;
  period?: number;
  /** For streak reminders: length of the streak. */
  length?: number;
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
  /**
   * The address of the user that a mail server has refused for good, for an e-mail; null if there is none.
   */
  rejectedAddress: string | null;
  /**
   * Whether the user has received this notification before: after a change of time zone it may become due
   * again.
   */
  isRepeat: boolean;
}

/**
 * One look-up a row by the primary key. A notification becomes due again after a change of time zone: that
 * moves its instant by less than 48 hours.
 */
const PENDING_NOTIFICATIONS = `
  select delivery.id, tenant, user_id as "userId", channel, type, attempts, coalesce(facts, '{}') as facts,
    (select address from suppressed_addresses
      where channel = 'email' and tenant = delivery.tenant and user_id = delivery.user_id) as "rejectedAddress",
    facts ? 'period' and exists (
      select from notification_deliveries as earlier
      where earlier.tenant = delivery.tenant and earlier.user_id = delivery.user_id
        and earlier.created_at between asked.created_at - interval '48 hours' and asked.created_at + interval '48 hours'
        and earlier.channel = delivery.channel and earlier.type = delivery.type and earlier.status = 'sent'
        and earlier.id <> delivery.id and earlier.facts ->> 'frequency' = delivery.facts ->> 'frequency'
        and earlier.facts ->> 'period' = delivery.facts ->> 'period'
    ) as "isRepeat"
  from unnest($1::uuid[], $2::timestamptz[]) as asked (id, created_at)
  cross join lateral (
    select * from notification_deliveries
    where id = asked.id and created_at = asked.created_at and status = 'pending' and due_at <= $3 offset 0
  ) as delivery`;

/** The notifications among these that are pending and due at `now` (ms), by id. */
export async function readPendingNotifications(
  db: Queryable,
  ids: readonly string[],
  now: number,
): Promise<Map<string, PendingNotification>> {
  const { rows } = await db.query<Omit<PendingNotification, 'at'>>({
    name: 'pending notifications',
    text: PENDING_NOTIFICATIONS,
    values: [ids, ids.map((id) => new Date(instantOfDelivery(id))), new Date(now)],
  });
  return new Map(rows.map((row) => [row.id, { ...row, at: instantOfDelivery(row.id) }]));
}

export type NotificationOutcome = { status: 'sent' | 'failed' | 'suppressed'; reason: string | null };

export interface FinishedNotification extends NotificationOutcome {
  notification: PendingNotification;
}

/** Records the outcomes of pending notifications at `now` (ms); others stay unchanged. */
export async function finishNotifications(
  db: Queryable,
  finished: readonly FinishedNotification[],
  now: number,
): Promise<void> {
  await db.query({
    name: 'finish notifications',
    text: `update notification_deliveries as delivery
      set status = done.status, reason = done.reason, attempts = done.attempts, finished_at = $6
      from unnest($1::uuid[], $2::timestamptz[], $3::text[], $4::text[], $5::int4[])
        as done (id, created_at, status, reason, attempts)
      where delivery.id = done.id and delivery.created_at = done.created_at and delivery.status = 'pending'`,
    values: [
      finished.map(({ notification }) => notification.id),
      finished.map(({ notification }) => new Date(notification.at)),
      finished.map(({ status }) => status),
      finished.map(({ reason }) => reason),
      finished.map(({ notification }) => notification.attempts),
      new Date(now),
    ],
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

export interface NotificationCount {
  type: NotificationRecord['type'];
  channel: NotificationRecord['channel'];
  status: NotificationRecord['status'];
  /** Why they were suppressed; null for any other status. */
  reason: string | null;
  count: number;
}

/**
 * Counts the notifications of all tenants that became due after `from` and until `to` (ms), the most frequent
 * first.
 */
export async function countNotifications(
  db: Queryable,
  from: number,
  to: number,
): Promise<NotificationCount[]> {
  const { rows } = await db.query<NotificationCount>(
    `select type, channel, status, case when status = 'suppressed' then reason end as reason, count(*)::integer as count
     from notification_deliveries where created_at > $1 and created_at <= $2
     group by 1, 2, 3, 4 order by 5 desc, 1, 2, 3, 4`,
    [new Date(from), new Date(to)],
  );
  return rows;
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
