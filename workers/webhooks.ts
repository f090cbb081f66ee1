import { LRUCache } from 'lru-cache';
import type { Clock } from '../src/base/clock.ts';
import type { Env } from '../src/base/env.ts';
import { DELIVERY_JOBS_MAX } from '../src/base/limits.ts';
import type { Log } from '../src/base/log.ts';
import { packageVersion } from '../src/base/packageRoot.ts';
import { Outlets } from '../src/engine/outlets.ts';
import type { Stores } from '../src/engine/stores.ts';
import { deliverWebhook, type WebhookParts } from '../src/notifications/deliverWebhook.ts';
import { EndpointSlots } from '../src/notifications/endpointSlots.ts';
import { createAgent, createPublicAgent } from '../src/notifications/publicAgent.ts';
import { renderWebhook } from '../src/notifications/renderWebhook.ts';
import { countDelivery } from '../src/redis/deliveryCounts.ts';
import type { Scripts } from '../src/redis/scripts.ts';
import { type DeliveryJob, deliveryWork } from './deliveries.ts';
import { LaterError, type Work } from './jobs.ts';

/** Delivers webhooks (deliverWebhook). */
export function webhookWork(
  stores: Stores & { scripts: Scripts; clock: Clock; log: Log },
  env: Pick<Env, 'deliveries' | 'webhookAllowPrivate' | 'webhookSignatureHeader'>,
): Work<DeliveryJob> {
  const outlets = new Outlets(stores.pool);
  if (env.webhookAllowPrivate) {
    stores.log.info('LAUREL_WEBHOOK_ALLOW_PRIVATE is set: webhooks are delivered to private addresses, too');
  } else {
    stores.log.info('webhooks are delivered to public addresses only; LAUREL_WEBHOOK_ALLOW_PRIVATE=1 allows others');
  }
  const parts: WebhookParts = {
    ...stores,
    agent: env.webhookAllowPrivate ? createAgent() : createPublicAgent(),
    slots: new EndpointSlots(),
    signatureHeader: env.webhookSignatureHeader,
    userAgent: `laurel/${packageVersion()}`,
    render: (delivery) => renderWebhook({ ...stores, outlets }, delivery),
    count: (outcome, reason) => countDelivery(stores.redis, 'webhooks', outcome, reason),
  };
  // Deliveries that this process has deferred. Another worker may take them later, so the oldest are dropped from this cache.
  const deferred = new LRUCache<string, true>({ max: DELIVERY_JOBS_MAX });
  return deliveryWork('webhooks', env, async (id, signal) => {
    const next = await deliverWebhook(parts, id, deferred.delete(id), signal);
    if (next === 'done') return;
    deferred.set(id, true);
    throw new LaterError(next.laterMs);
  });
}
