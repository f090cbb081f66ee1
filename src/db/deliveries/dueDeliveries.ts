import type { Queryable } from '../pool.ts';

/** Channels of deliveries; each has a queue of the same name. */
export type Channel = 'webhooks' | 'email' | 'push';

/** A delivery to send, and the number of attempts made so far. */
export interface DueDelivery {
  id: string;
  attempts: number;
}

/** Most deliveries of one webhook that one call returns, so that a long backlog leaves room for other webhooks. */
const FOUND_OF_WEBHOOK_MAX = 500;

/**
 * The recursive query steps through the index from one webhook with pending deliveries to the next. Deliveries of inactive webhooks
 * wait until the webhook is active again.
 */
const DUE_WEBHOOK_DELIVERIES = `
  with recursive waiting as (
    (select webhook from webhook_deliveries where status = 'pending' order by webhook limit 1)
    union all
    select (select webhook from webhook_deliveries
      where status = 'pending' and webhook > waiting.webhook order by webhook limit 1)
    from waiting where waiting.webhook is not null
  )
  select delivery.id, delivery.attempts from waiting
  left join entities on entities.id = waiting.webhook
  cross join lateral (
    select id, attempts, due_at, row_number() over (order by due_at) as place from webhook_deliveries
    where webhook = waiting.webhook and status = 'pending' and due_at <= $1
    order by due_at limit ${FOUND_OF_WEBHOOK_MAX}
  ) as delivery
  where coalesce(entities.body ->> 'status', 'active') = 'active'
  order by place, due_at limit $2`;

const DUE_NOTIFICATIONS = `
  select id, attempts from notification_deliveries
  where channel = $3 and status = 'pending' and due_at <= $1 order by due_at limit $2`;

/** Deliveries of a channel that are due at `now` (ms); the longest due of every webhook come first. */
export async function listDueDeliveries(
  db: Queryable,
  channel: Channel,
  now: number,
  limit: number,
): Promise<DueDelivery[]> {
  const isWebhooks = channel === 'webhooks';
  const { rows } = await db.query<DueDelivery>({
    name: `due ${isWebhooks ? 'webhooks' : 'notifications'}`,
    text: isWebhooks ? DUE_WEBHOOK_DELIVERIES : DUE_NOTIFICATIONS,
    values: [new Date(now), limit, ...(isWebhooks ? [] : [channel])],
  });
  return rows;
}

/** Due time of the longest due delivery of each channel, null if none is due. Deliveries of inactive webhooks are left out. */
export async function readOldestDue(db: Queryable, now: number): Promise<{ channel: Channel; dueAt: Date | null }[]> {
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
