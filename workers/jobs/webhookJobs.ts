import { LRUCache } from 'lru-cache';
import type { Clock } from '../../src/base/clock.ts';
import type { Env } from '../../src/base/env.ts';
import { DELIVERY_JOBS_MAX, WEBHOOK_LOCK_MS } from '../../src/base/limits.ts';
import type { Log } from '../../src/base/log.ts';
import { packageVersion } from '../../src/base/packageRoot.ts';
import { Semaphore } from '../../src/base/semaphore.ts';
import type { Tracing } from '../../src/base/spans.ts';
import { UnshownAwardsReader } from '../../src/db/deliveries/unshownAwards.ts';
import { WebhookAttempts } from '../../src/db/deliveries/webhookAttempts.ts';
import { rowsOf } from '../../src/db/rows.ts';
import type { MergedReads } from '../../src/engine/leaderboards/mergedReads.ts';
import type { Stores } from '../../src/engine/stores.ts';
import { Subscriptions } from '../../src/engine/webhooks/subscriptions.ts';
import { createAgent, createPublicAgent } from '../../src/notifications/webhooks/publicAgent.ts';
import { renderWebhook } from '../../src/notifications/webhooks/renderWebhook.ts';
import {
  WebhookQueue,
  type WebhookQueueDependencies,
} from '../../src/notifications/webhooks/webhookQueue.ts';
import type { Scripts } from '../../src/redis/scripts/scripts.ts';
import { countDelivery } from '../../src/redis/state/deliveryCounts.ts';
import { DELIVERY_JOB, type WebhookJob } from './deliveryJobs.ts';
import { LaterError, type Work } from './jobs.ts';
import { slicesWithin } from './slices.ts';

/** Delivers webhooks (WebhookQueue). */
export function webhookWork(
  stores: Stores & {
    scripts: Scripts;
    mergedReads: MergedReads;
    clock: Clock;
    log: Log;
    tracing: Tracing | null;
  },
  env: Pick<Env, 'deliveries' | 'webhookAllowPrivate' | 'webhookSignatureHeader'>,
): Work<WebhookJob> {
  const subscriptions = new Subscriptions(stores.pool);
  const history = { final: rowsOf(stores.pool) };
  const unshownAwards = new UnshownAwardsReader(stores.pool);
  const { atOnce, perSecond } = env.deliveries.webhooks;
  if (env.webhookAllowPrivate) {
    stores.log.info('LAUREL_WEBHOOK_ALLOW_PRIVATE is set: webhooks are delivered to private addresses, too');
  } else {
    stores.log.info(
      'webhooks are delivered to public addresses only; LAUREL_WEBHOOK_ALLOW_PRIVATE=1 allows others',
    );
  }
  const slices = slicesWithin(perSecond);
  const deps: WebhookQueueDependencies = {
    ...stores,
    agent: env.webhookAllowPrivate ? createAgent() : createPublicAgent(),
    attempts: new WebhookAttempts(stores.pool),
    signatureHeader: env.webhookSignatureHeader,
    userAgent: `laurel/${packageVersion()}`,
    render: (delivery) => renderWebhook({ ...stores, history, subscriptions, unshownAwards }, delivery),
    count: (outcome, reason) => countDelivery(stores.redis, 'webhooks', outcome, reason),
    slots: new Semaphore(atOnce, Infinity),
    failures: new LRUCache({ max: DELIVERY_JOBS_MAX }),
    attemptsMax: slices.attemptsMax,
  };
  return {
    queue: 'webhooks',
    names: [DELIVERY_JOB],
    concurrency: atOnce,
    perSecond: slices.perSecond,
    lockMs: WEBHOOK_LOCK_MS,
    run: async ({ data: { webhook } }, signal) => {
      const next = await new WebhookQueue(deps, webhook, signal).run();
      if (next !== 'done') throw new LaterError(next.laterMs);
    },
  };
}
