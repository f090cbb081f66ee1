import { SHARD_PAGE_MAX } from '../../base/limits.ts';
import type { NotificationChannel } from '../../contract/preferences.ts';
import { WEBHOOK_EVENTS } from '../../contract/webhooks.ts';
import type { Queryable } from '../pool.ts';

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

/**
 * The recursive query steps through the index from one webhook with pending deliveries to the next.
 * Deliveries of inactive webhooks wait until the webhook is active again; those of types that this version
 * does not know are left to another one.
 */
const DUE_WEBHOOKS = `
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
    where delivery.webhook = waiting.webhook and delivery.status = 'pending' and due_at <= $1 and type = any($2))
  limit $3`;

const DIGIT = 'right(id::text, 1)';
const IS_DUE = `channel = $1 and status = 'pending' and due_at <= $2`;
/** If many notifications are due, the first ones are of all shards. */
const DUE_SHARDS = `select distinct ${DIGIT} as digit from (
    select id from notification_deliveries where ${IS_DUE} order by due_at limit ${SHARD_PAGE_MAX}
  ) as due`;
const DUE_NOTIFICATIONS = `
  select id from notification_deliveries where ${IS_DUE} and ${DIGIT} = $3 order by due_at limit $4`;

/** Ids of webhooks with deliveries that are due at `now` (ms). */
export async function listDueWebhooks(db: Queryable, now: number, limit: number): Promise<string[]> {
  const { rows } = await db.query<{ webhook: string }>({
    name: 'due webhooks',
    text: DUE_WEBHOOKS,
    values: [new Date(now), WEBHOOK_EVENTS, limit],
  });
  return rows.map(({ webhook }) => webhook);
}

/** Digits of the shards of a channel with notifications that are due at `now` (ms). */
export async function listDueShards(
  db: Queryable,
  channel: NotificationChannel,
  now: number,
): Promise<string[]> {
  const { rows } = await db.query<{ digit: string }>({
    name: 'due shards',
    text: DUE_SHARDS,
    values: [channel, new Date(now)],
  });
  return rows.map(({ digit }) => digit);
}

/** Ids of the notifications of a shard that are due at `now` (ms), the longest due first. */
export async function listDueNotifications(
  db: Queryable,
  { channel, digit }: Shard,
  now: number,
  limit: number,
): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>({
    name: 'due notifications',
    text: DUE_NOTIFICATIONS,
    values: [channel, new Date(now), digit, limit],
  });
  return rows.map(({ id }) => id);
}

/**
 * Due time of the longest due delivery of each channel, null if none is due. Deliveries of inactive webhooks
 * are left out.
 */
export async function readOldestDue(
  db: Queryable,
  now: number,
): Promise<{ channel: Channel; dueAt: Date | null }[]> {
  const { rows } = await db.query<{ channel: Channel; dueAt: Date | null }>(
    `select 'webhooks' as channel, (select min(due_at) from webhook_deliveries join entities on entities.id = webhook
       where webhook_deliveries.status = 'pending' and due_at <= $1 and body ->> 'status' = 'active') as "dueAt"
     union all
     select channel, (select min(due_at) from notification_deliveries as delivery
       where delivery.channel = known.channel and status = 'pending' and due_at <= $1)
     from (values ('email'), ('push')) as known (channel)`,
    [new Date(now)],
  );
  return rows;
}
