import { bulkStatement, insert } from '../bulkInsert.ts';
import type { PoolClient } from '../pool.ts';
import { INSTANT } from '../sql.ts';
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

const WEBHOOK_DELIVERIES = bulkStatement<WebhookDeliveryRow>(
  {
    id: ['uuid', (row) => row.id],
    created_at: ['instant', (row) => row.createdAt],
    tenant: ['int4', (row) => row.tenant],
    webhook: ['uuid', (row) => row.webhook],
    user_id: ['text', (row) => row.userId],
    type: ['text', (row) => row.type],
    due_at: ['instant', (row) => row.dueAt],
    payload: ['text', (row) => row.payload],
    facts: ['jsonb', (row) => row.facts],
    trace: ['text', (row) => row.trace ?? null],
  },
  ({ insertInto }) => `${insertInto('webhook_deliveries')}
    order by 1
    on conflict do nothing`,
);

const NOTIFICATION_DELIVERIES = bulkStatement<NotificationDeliveryRow>(
  {
    id: ['uuid', (row) => row.id],
    created_at: ['instant', (row) => row.createdAt],
    tenant: ['int4', (row) => row.tenant],
    user_id: ['text', (row) => row.userId],
    channel: ['text', (row) => row.channel],
    type: ['text', (row) => row.type],
    due_at: ['instant', (row) => row.dueAt],
    facts: ['jsonb', (row) => row.facts],
  },
  ({ rows, names, values }) => `insert into notification_deliveries (${names}, day)
    select ${values},
      (${INSTANT('created_at')} at time zone coalesce((select settings ->> 'defaultTimeZone' from tenants where no = row.tenant), 'UTC'))::date
    from ${rows}
    order by 1
    on conflict do nothing`,
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
  await insert(client, 'webhook deliveries', WEBHOOK_DELIVERIES, rows.webhookDeliveries, false);
  await insert(
    client,
    'notification deliveries',
    NOTIFICATION_DELIVERIES,
    rows.notificationDeliveries,
    false,
  );
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
