import { deliveryId, hashId } from '../../base/ids.ts';
import type { WebhookBody, WebhookEvent } from '../../contract/webhooks.ts';
import {
  noDeliveryRows,
  type WebhookDeliveryRow,
  writeDeliveries,
} from '../../db/deliveries/writeDeliveries.ts';
import { ensurePartition } from '../../db/partitions.ts';
import type { PoolClient } from '../../db/pool.ts';
import type { Webhook } from '../../rules/config.ts';
import type { Rules } from '../../rules/inForce/rules.ts';

interface SubscribedWebhook {
  webhook: Webhook;
  /** ms */
  createdAt: number;
}

const NONE: readonly SubscribedWebhook[] = [];
const subscribersOfRules = new WeakMap<Rules, Map<WebhookEvent, SubscribedWebhook[]>>();

function subscribersByType(rules: Rules): Map<WebhookEvent, SubscribedWebhook[]> {
  let byType = subscribersOfRules.get(rules);
  if (byType === undefined) {
    byType = new Map();
    for (const webhook of rules.config.webhooks) {
      if (webhook.status !== 'active') continue;
      const subscriber = { webhook, createdAt: Date.parse(webhook.created) };
      for (const event of webhook.events) byType.set(event, [...(byType.get(event) ?? []), subscriber]);
    }
    subscribersOfRules.set(rules, byType);
  }
  return byType;
}

/** Whether an active webhook of the tenant subscribes to this type. */
export function isSubscribed(rules: Rules, type: WebhookEvent): boolean {
  return subscribersByType(rules).has(type);
}

/** The active webhooks of a tenant that subscribe to this type. */
export function subscribersOf(rules: Rules, type: WebhookEvent): readonly SubscribedWebhook[] {
  return subscribersByType(rules).get(type) ?? NONE;
}

/** Why webhooks get a delivery. */
interface DeliveryCause<T extends WebhookEvent> {
  type: T;
  /** When, ms. */
  at: number;
  /** null when it concerns no single user. */
  userId: string | null;
  /** Numbers and names that distinguish this cause from others of its type and instant. */
  ids: (string | number)[];
}

/** The subscribed webhooks that existed at the instant of the cause. */
function subscribers(rules: Rules, { type, at }: DeliveryCause<WebhookEvent>): Webhook[] {
  return subscribersOf(rules, type)
    .filter(({ createdAt }) => createdAt <= at)
    .map(({ webhook }) => webhook);
}

function rowOf(
  { tenant }: Rules,
  { type, at, userId, ids }: DeliveryCause<WebhookEvent>,
  webhook: string,
  made: Pick<WebhookDeliveryRow, 'dueAt' | 'payload' | 'facts'>,
): WebhookDeliveryRow {
  const id = deliveryId(at, [webhook, type, userId ?? '', ...ids]);
  return { id, createdAt: at, tenant, webhook, userId, type, ...made };
}

/**
 * One delivery for each webhook that subscribes to the type. `body` is called only if there is such a
 * webhook; null creates no delivery.
 */
export function webhookRows<T extends WebhookEvent>(
  rules: Rules,
  cause: DeliveryCause<T>,
  body: () => WebhookBody<T> | string | null,
): WebhookDeliveryRow[] {
  const webhooks = subscribers(rules, cause);
  if (webhooks.length === 0) return [];
  const made = body();
  if (made === null) return [];
  const payload = typeof made === 'string' ? made : JSON.stringify({ type: cause.type, ...made });
  return webhooks.map(({ id }) => rowOf(rules, cause, id, { dueAt: cause.at, payload, facts: null }));
}

/** The same with a body that is made of `facts` when the delivery is sent, at `dueAt` (ms). */
export function laterWebhookRows(
  rules: Rules,
  cause: DeliveryCause<WebhookEvent>,
  dueAt: number,
  facts: object,
): WebhookDeliveryRow[] {
  const made = { dueAt, payload: null, facts: JSON.stringify(facts) };
  return subscribers(rules, cause).map(({ id }) => rowOf(rules, cause, id, made));
}

/** What throttled deliveries are about, as `webhook_windows` has it: a type and what it concerns. */
export const webhookSubject = (type: WebhookEvent, concerned: (string | number)[]): string =>
  hashId([type, ...concerned]);

/** Of deliveries that list what a user got in a points system since the delivery before. */
export const pointsSubject = (system: number, userId: string): (string | number)[] => [system, userId];

/** Stores deliveries in the transaction of what they are about. */
export async function writeWebhooks(
  client: PoolClient,
  webhookDeliveries: WebhookDeliveryRow[],
): Promise<void> {
  if (webhookDeliveries.length === 0) return;
  const instants = new Set(webhookDeliveries.map(({ createdAt }) => createdAt));
  for (const instant of instants) await ensurePartition(client, 'day', instant);
  await writeDeliveries(client, { ...noDeliveryRows(), webhookDeliveries });
}
