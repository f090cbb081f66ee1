import { BulkStatement } from '../bulkInsert.ts';
import type { PoolClient } from '../pool.ts';
import { INSTANT, sql } from '../sql.ts';
import { type LatestDelivery, type ThrottledDelivery, writeThrottled } from './webhookWindows.ts';

/**
 * Instants are milliseconds since 1970. `id` and `createdAt` are derived from the reported change (deliveryId
 * in src/base/ids.ts).
 */
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

const WEBHOOK_DELIVERIES = new BulkStatement<WebhookDeliveryRow>(
  {
    id: 'uuid',
    createdAt: 'instant',
    tenant: 'int4',
    webhook: 'uuid',
    userId: 'text',
    type: 'text',
    dueAt: 'instant',
    payload: 'text',
    facts: 'jsonb',
    trace: 'text',
  },
  ({ insertInto }) => `${insertInto('webhook_deliveries')} order by 1 on conflict do nothing`,
);

const NOTIFICATION_DELIVERIES = new BulkStatement<NotificationDeliveryRow>(
  {
    id: 'uuid',
    createdAt: 'instant',
    tenant: 'int4',
    userId: 'text',
    channel: 'text',
    type: 'text',
    dueAt: 'instant',
    facts: 'jsonb',
  },
  ({ rows, names, values }) => `insert into notification_deliveries (${names}, day)
    select ${values},
      (${INSTANT(sql`created_at`)} at time zone coalesce((select settings ->> 'defaultTimeZone' from tenants where no = row.tenant), 'UTC'))::date
    from ${rows}
    order by 1 on conflict do nothing`,
);

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
  await WEBHOOK_DELIVERIES.run(client, rows.webhookDeliveries, false);
  await NOTIFICATION_DELIVERIES.run(client, rows.notificationDeliveries, false);
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
