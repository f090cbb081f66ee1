import { HOURS_BEFORE_END_MAX } from '../../base/challengeLimits.ts';
import { instantOfDelivery } from '../../base/ids.ts';
import type { Page } from '../../contract/admin.ts';
import type { NotificationChannel, NotificationType } from '../../contract/preferences.ts';
import type { MessageText } from '../../contract/userMessages.ts';
import type { Queryable } from '../pool.ts';
import { all, execute, prepared } from '../rows.ts';
import { raw } from '../sql.ts';
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
  /** For challenges that end: the number of the challenge. `period` is the number of the run. */
  challenge?: number;
  /** For reactivations. */
  messageNumber?: number;
  days?: number;
  /** For messages by administrators: the id of the message, and when it is to be sent, ms. */
  message?: string;
  due?: number;
  /** Device tokens that have received it, each as the start of its hash. */
  reached?: string[];
}

export interface PendingNotification extends UserKey {
  id: string;
  channel: NotificationChannel;
  type: NotificationType;
  /** When it first became due. */
  at: number;
  attempts: number;
  facts: NoticeFacts;
  /** The text of a message by an administrator; null for other types. */
  text: MessageText | null;
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
 * How far apart two notifications of the same can be: a change of time zone moves an instant by less than 48
 * hours, and another `hoursBefore` of a template by as many hours.
 */
const REPEATED_WITHIN = raw(`interval '${48 + HOURS_BEFORE_END_MAX} hours'`);

/**
 * The notifications among these that are pending and due at `now` (ms), by id: one look-up a row by the
 * primary key. A notification becomes due again after a change of time zone.
 */
export async function readPendingNotifications(
  db: Queryable,
  ids: readonly string[],
  now: number,
): Promise<Map<string, PendingNotification>> {
  const rows = await all(prepared(db))<Omit<PendingNotification, 'at'>>`
    select delivery.id, tenant, user_id as "userId", channel, type, attempts, coalesce(facts, '{}') as facts,
      (select address from suppressed_addresses
        where channel = 'email' and tenant = delivery.tenant
          and user_id = delivery.user_id) as "rejectedAddress",
      (select texts -> delivery.channel from user_messages as message
        where message.tenant = delivery.tenant and message.id = (delivery.facts ->> 'message')::uuid) as text,
      facts ? 'period' and exists (
        select from notification_deliveries as earlier
        where earlier.tenant = delivery.tenant and earlier.user_id = delivery.user_id
          and earlier.created_at between asked.created_at - ${REPEATED_WITHIN} and asked.created_at + ${REPEATED_WITHIN}
          and earlier.channel = delivery.channel and earlier.type = delivery.type and earlier.status = 'sent'
          and earlier.id <> delivery.id and coalesce(earlier.facts ->> 'frequency', earlier.facts ->> 'challenge')
            = coalesce(delivery.facts ->> 'frequency', delivery.facts ->> 'challenge')
          and earlier.facts ->> 'period' = delivery.facts ->> 'period'
      ) as "isRepeat"
    from unnest(${ids}::uuid[], ${ids.map((id) => new Date(instantOfDelivery(id)))}::timestamptz[])
      as asked (id, created_at)
    cross join lateral (
      select * from notification_deliveries
      where id = asked.id and created_at = asked.created_at and status = 'pending'
        and due_at <= ${new Date(now)} offset 0
    ) as delivery`;
  return new Map(rows.map((row) => [row.id, { ...row, at: row.facts.due ?? instantOfDelivery(row.id) }]));
}

export type NotificationOutcome = { status: 'sent' | 'failed' | 'suppressed'; reason: string | null };

/** What the text of a notification is from: the id of the template, and the key of its variant. */
export interface SentTemplate {
  template: string | null;
  variant: string | null;
}

/** Of what was not sent, and of messages by administrators. */
export const NO_TEMPLATE: SentTemplate = { template: null, variant: null };

export interface FinishedNotification extends NotificationOutcome, SentTemplate {
  notification: PendingNotification;
}

/** Records the outcomes of pending notifications at `now` (ms); others stay unchanged. */
export async function finishNotifications(
  db: Queryable,
  finished: readonly FinishedNotification[],
  now: number,
): Promise<void> {
  await execute(prepared(db))`
    update notification_deliveries as delivery
    set status = done.status, reason = done.reason, attempts = done.attempts, finished_at = ${new Date(now)},
      template = done.template, variant = done.variant
    from unnest(
      ${finished.map(({ notification }) => notification.id)}::uuid[],
      ${finished.map(({ notification }) => new Date(instantOfDelivery(notification.id)))}::timestamptz[],
      ${finished.map(({ status }) => status)}::text[], ${finished.map(({ reason }) => reason)}::text[],
      ${finished.map(({ notification }) => notification.attempts)}::int4[],
      ${finished.map(({ template }) => template)}::uuid[], ${finished.map(({ variant }) => variant)}::text[]
    ) as done (id, created_at, status, reason, attempts, template, variant)
    where delivery.id = done.id and delivery.created_at = done.created_at and delivery.status = 'pending'`;
}

/** Schedules another attempt at `dueAt`. */
export async function postponeNotification(
  db: Queryable,
  { id, attempts, facts }: PendingNotification,
  reason: string,
  dueAt: number,
): Promise<void> {
  await execute(prepared(db))`
    update notification_deliveries set reason = ${reason}, attempts = ${attempts},
      due_at = ${new Date(dueAt)}, facts = ${JSON.stringify(facts)}
    where id = ${id} and created_at = ${new Date(instantOfDelivery(id))} and status = 'pending'`;
}

export interface NotificationFilter {
  userId?: string;
  channel?: string;
  type?: string;
  status?: string;
}

export interface NotificationRecord extends SentTemplate {
  id: string;
  userId: string;
  channel: NotificationChannel;
  type: NotificationType;
  status: 'pending' | 'sent' | 'failed' | 'suppressed';
  reason: string | null;
  attempts: number;
  created: Date;
  due: Date;
  finished: Date | null;
}

/** Deliveries of a tenant, newest first. */
export const listNotifications = (
  db: Queryable,
  tenant: number,
  { userId, channel, type, status }: NotificationFilter,
  { limit, skip }: Page,
): Promise<NotificationRecord[]> =>
  all(db)`
    select id, user_id as "userId", channel, type, status, reason, attempts, created_at as created,
      due_at as due, finished_at as finished, template, variant
    from notification_deliveries
    where tenant = ${tenant} and (${userId ?? null}::text is null or user_id = ${userId ?? null})
      and (${channel ?? null}::text is null or channel = ${channel ?? null})
      and (${type ?? null}::text is null or type = ${type ?? null})
        and (${status ?? null}::text is null or status = ${status ?? null})
    order by created_at desc, id desc limit ${limit} offset ${skip}`;

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
export const countNotifications = (db: Queryable, from: number, to: number): Promise<NotificationCount[]> =>
  all(db)`
    select type, channel, status, case when status = 'suppressed' then reason end as reason,
      count(*)::integer as count
    from notification_deliveries where created_at > ${new Date(from)} and created_at <= ${new Date(to)}
    group by 1, 2, 3, 4 order by 5 desc, 1, 2, 3, 4`;

export async function suppressAddress(
  db: Queryable,
  { tenant, userId }: UserKey,
  address: string,
  reason: string,
  now: number,
): Promise<void> {
  await execute(db)`
    insert into suppressed_addresses (tenant, user_id, address, reason, suppressed_at)
    values (${tenant}, ${userId}, ${address}, ${reason}, ${new Date(now)})
    on conflict (tenant, user_id) do update set address = excluded.address, reason = excluded.reason,
      suppressed_at = excluded.suppressed_at`;
}
