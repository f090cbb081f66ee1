import type { NotificationChannel } from '../../contract/preferences.ts';
import { WEBHOOK_EVENTS } from '../../contract/webhooks.ts';
import type { Queryable } from '../pool.ts';

/** Channels of deliveries; each has a queue of the same name. */
export type Channel = 'webhooks' | NotificationChannel;

/** A delivery to send, and the number of attempts made so far. */
export interface DueDelivery {
  id: string;
  attempts: number;
}

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

const DUE_NOTIFICATIONS = `
  select id, attempts from notification_deliveries
  where channel = $3 and status = 'pending' and due_at <= $1 order by due_at limit $2`;

/** Ids of webhooks with deliveries that are due at `now` (ms). */
export async function listDueWebhooks(db: Queryable, now: number, limit: number): Promise<string[]> {
  const { rows } = await db.query<{ webhook: string }>({
    name: 'due webhooks',
    text: DUE_WEBHOOKS,
    values: [new Date(now), WEBHOOK_EVENTS, limit],
  });
  return rows.map(({ webhook }) => webhook);
}

/** Notifications of a channel that are due at `now` (ms), the longest due first. */
export async function listDueNotifications(
  db: Queryable,
  channel: NotificationChannel,
  now: number,
  limit: number,
): Promise<DueDelivery[]> {
  const { rows } = await db.query<DueDelivery>({
    name: 'due notifications',
    text: DUE_NOTIFICATIONS,
    values: [new Date(now), limit, channel],
  });
  return rows;
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
