import { SHARD_PAGE_MAX } from '../../base/limits.ts';
import type { NotificationChannel } from '../../contract/preferences.ts';
import { WEBHOOK_EVENTS } from '../../contract/webhooks.ts';
import type { Queryable } from '../pool.ts';
import { all, column, prepared } from '../rows.ts';
import { raw, type Sql, sql } from '../sql.ts';

/** Channels of deliveries; each has a queue of the same name. */
export type Channel = 'webhooks' | NotificationChannel;

/**
 * A sixteenth of the notifications of a channel: those whose id ends with this digit. Ids end with digits of
 * a digest, so shards are equally large.
 */
export interface Shard {
  channel: NotificationChannel;
  digit: string;
}

/** The digit of the shard of a notification. */
export const digitOf = (id: string): string => id.at(-1)!;

const DIGIT = sql`right(id::text, 1)`;
const isDue = (channel: NotificationChannel, now: number): Sql =>
  sql`channel = ${channel} and status = 'pending' and due_at <= ${new Date(now)}`;

/**
 * Ids of webhooks with deliveries that are due at `now` (ms). The recursive query steps through the index
 * from one webhook with pending deliveries to the next. Deliveries of inactive webhooks wait until the
 * webhook is active again; those of types that this version does not know are left to another one.
 */
export const listDueWebhooks = (db: Queryable, now: number, limit: number): Promise<string[]> =>
  column(prepared(db))`
    with recursive waiting as (
      (select webhook from webhook_deliveries where status = 'pending' order by webhook limit 1)
      union all
      select (select webhook from webhook_deliveries
        where status = 'pending' and webhook > waiting.webhook order by webhook limit 1)
      from waiting where waiting.webhook is not null
    )
    select webhook from waiting left join entities on entities.id = waiting.webhook
    where coalesce(entities.body ->> 'status', 'active') = 'active' and exists (
      select from webhook_deliveries delivery
      where delivery.webhook = waiting.webhook and delivery.status = 'pending' and due_at <= ${new Date(now)}
        and type = any(${WEBHOOK_EVENTS}))
    limit ${limit}`;

/**
 * Digits of the shards of a channel with notifications that are due at `now` (ms). If many are due, the first
 * ones are of all shards.
 */
export const listDueShards = (db: Queryable, channel: NotificationChannel, now: number): Promise<string[]> =>
  column(prepared(db))`
    select distinct ${DIGIT} as digit from (
      select id from notification_deliveries where ${isDue(channel, now)} order by due_at limit ${raw(SHARD_PAGE_MAX)}
    ) as due`;

/** Ids of the notifications of a shard that are due at `now` (ms), the longest due first. */
export const listDueNotifications = (
  db: Queryable,
  { channel, digit }: Shard,
  now: number,
  limit: number,
): Promise<string[]> =>
  column(prepared(db))`
    select id from notification_deliveries where ${isDue(channel, now)} and ${DIGIT} = ${digit} order by due_at
    limit ${limit}`;

/**
 * Due time of the longest due delivery of each channel, null if none is due. Deliveries of inactive webhooks
 * are left out.
 */
export const readOldestDue = (
  db: Queryable,
  now: number,
): Promise<{ channel: Channel; dueAt: Date | null }[]> =>
  all(db)`
    select 'webhooks' as channel, (select min(due_at) from webhook_deliveries
    join entities on entities.id = webhook
      where webhook_deliveries.status = 'pending' and due_at <= ${new Date(now)}
        and body ->> 'status' = 'active') as "dueAt"
    union all
    select channel, (select min(due_at) from notification_deliveries as delivery
      where delivery.channel = known.channel and status = 'pending' and due_at <= ${new Date(now)})
    from (values ('email'), ('push')) as known (channel)`;
