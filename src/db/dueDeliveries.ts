import type { Queryable } from './pool.ts';

/** The ways out; each has a queue of this name. */
export type Channel = 'webhooks' | 'email' | 'push';

/** Something to be sent: the attempt after so many. */
export interface DueDelivery {
  id: string;
  attempts: number;
}

/** Deliveries of one webhook that one look finds: one with a long backlog leaves room for the others. */
const FOUND_OF_WEBHOOK_MAX = 500;

/**
 * Webhooks with something pending are found by going through the index from one to the next. Those that are not active wait,
 * until they are again.
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

/** What is to be sent through a channel by `now` (ms), the longest due of every webhook first. */
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

/** The instant at which the longest due delivery of each channel was due, null where none is. Those of webhooks that are not active wait. */
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
