import { type BulkInsert, INSTANT, insert, numbers, texts } from '../bulkInsert.ts';
import type { PoolClient } from '../pool.ts';
import { type LatestDelivery, type ThrottledDelivery, writeThrottled } from './webhookWindows.ts';

/** Instants are milliseconds since 1970. `id` and `createdAt` are derived from the reported change (deliveryId in src/base/ids.ts). */
interface DeliveryRow {
  id: string;
  createdAt: number;
  tenant: number;
  type: string;
  /** When it is to be sent. */
  dueAt: number;
  /** JSON from which the message is rendered when it is sent. */
  facts: string | null;
}

/** A delivery to one webhook. */
export interface WebhookDeliveryRow extends DeliveryRow {
  /** Id of the webhook. */
  webhook: string;
  /** null if the delivery is not about one user. */
  userId: string | null;
  /** The body; null if it is rendered from `facts` at the first attempt. */
  payload: string | null;
  /** `context` of the span that has caused the delivery, if it is traced. */
  trace?: string | undefined;
}

/** A notification of one user through one channel. */
export interface NotificationDeliveryRow extends DeliveryRow {
  userId: string;
  channel: 'email' | 'push';
}

const WEBHOOK_DELIVERIES: BulkInsert<WebhookDeliveryRow> = {
  text: `insert into webhook_deliveries (id, created_at, tenant, webhook, user_id, type, due_at, payload, facts, trace)
    select id, ${INSTANT('created_at')}, tenant, webhook, user_id, type, ${INSTANT('due_at')}, payload, facts, trace
    from unnest($1::uuid[], $2::float8[], $3::int4[], $4::uuid[], $5::text[], $6::text[], $7::float8[], $8::text[], $9::jsonb[],
        $10::text[])
      as row (id, created_at, tenant, webhook, user_id, type, due_at, payload, facts, trace)
    order by 1
    on conflict do nothing`,
  columns: [
    numbers((row) => row.id),
    numbers((row) => row.createdAt),
    numbers((row) => row.tenant),
    numbers((row) => row.webhook),
    texts((row) => row.userId),
    texts((row) => row.type),
    numbers((row) => row.dueAt),
    texts((row) => row.payload),
    texts((row) => row.facts),
    texts((row) => row.trace ?? null),
  ],
};

const NOTIFICATION_DELIVERIES: BulkInsert<NotificationDeliveryRow> = {
  text: `insert into notification_deliveries (id, created_at, tenant, user_id, channel, type, due_at, facts, day)
    select id, ${INSTANT('created_at')}, tenant, user_id, channel, type, ${INSTANT('due_at')}, facts,
      (${INSTANT('created_at')} at time zone coalesce((select settings ->> 'defaultTimeZone' from tenants where no = row.tenant), 'UTC'))::date
    from unnest($1::uuid[], $2::float8[], $3::int4[], $4::text[], $5::text[], $6::text[], $7::float8[], $8::jsonb[])
      as row (id, created_at, tenant, user_id, channel, type, due_at, facts)
    order by 1
    on conflict do nothing`,
  columns: [
    numbers((row) => row.id),
    numbers((row) => row.createdAt),
    numbers((row) => row.tenant),
    texts((row) => row.userId),
    texts((row) => row.channel),
    texts((row) => row.type),
    numbers((row) => row.dueAt),
    texts((row) => row.facts),
  ],
};

/** Deliveries to write in the transaction that writes the changes they report. */
export interface DeliveryRows {
  webhookDeliveries: WebhookDeliveryRow[];
  /** Each is written only if no other delivery covers the change. */
  throttledDeliveries: ThrottledDelivery[];
  notificationDeliveries: NotificationDeliveryRow[];
}

/** Empty rows, for the caller to fill. */
export const noDeliveryRows = (): DeliveryRows => ({
  webhookDeliveries: [],
  throttledDeliveries: [],
  notificationDeliveries: [],
});

/**
 * Writes deliveries. Their partitions must exist. Existing rows stay unchanged.
 * @returns the latest delivery about each throttled subject
 */
export async function writeDeliveries(client: PoolClient, rows: DeliveryRows): Promise<LatestDelivery[]> {
  await insert(client, 'webhook deliveries', WEBHOOK_DELIVERIES, rows.webhookDeliveries, false);
  await insert(client, 'notification deliveries', NOTIFICATION_DELIVERIES, rows.notificationDeliveries, false);
  return writeThrottled(client, rows.throttledDeliveries);
}

/** The instants (ms) for which daily partitions are needed. */
export function instantsOfDeliveries(rows: DeliveryRows): Set<number> {
  const instants = new Set<number>();
  for (const { createdAt } of rows.webhookDeliveries) instants.add(createdAt);
  for (const { createdAt } of rows.throttledDeliveries) instants.add(createdAt);
  for (const { createdAt } of rows.notificationDeliveries) instants.add(createdAt);
  return instants;
}
