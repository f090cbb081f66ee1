import type { Redis } from 'ioredis';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../src/base/clock.ts';
import type { Env } from '../../src/base/env.ts';
import { DELIVERY_JOBS_MAX } from '../../src/base/limits.ts';
import type { Log } from '../../src/base/log.ts';
import { packageVersion } from '../../src/base/packageRoot.ts';
import { Semaphore } from '../../src/base/semaphore.ts';
import type { Tracing } from '../../src/base/spans.ts';
import { unshownAwardsReader } from '../../src/db/deliveries/unshownAwards.ts';
import { WebhookAttempts } from '../../src/db/deliveries/webhookAttempts.ts';
import { prepared } from '../../src/db/rows.ts';
import type { MergedReads } from '../../src/engine/ranks/mergedReads.ts';
import type { RankReads } from '../../src/engine/ranks/rankReads.ts';
import type { Stores } from '../../src/engine/stores/stores.ts';
import { Subscriptions } from '../../src/engine/webhooks/subscriptions.ts';
import {
  NotificationDelivery,
  type NotificationDependencies,
} from '../../src/notifications/messages/deliver.ts';
import { FcmClient } from '../../src/notifications/messages/fcm.ts';
import { createMailer, mailFolder } from '../../src/notifications/messages/mailer.ts';
import { PreferenceLinks } from '../../src/notifications/messages/preferenceLinks.ts';
import { createAgent, createPublicAgent } from '../../src/notifications/webhooks/publicAgent.ts';
import { renderWebhook } from '../../src/notifications/webhooks/renderWebhook.ts';
import {
  WebhookQueue,
  type WebhookQueueDependencies,
} from '../../src/notifications/webhooks/webhookQueue.ts';
import type { Scripts } from '../../src/redis/scripts/scripts.ts';
import { countDelivery } from '../../src/redis/state/deliveryCounts.ts';
import { notificationWork, slicesWithin, WEBHOOK_JOB } from './deliveryJobs.ts';
import { type Jobs, LaterError, type Work } from './jobs.ts';

/** Time after which another worker continues the webhook of a worker that was killed. */
const WEBHOOK_LOCK_MS = 10_000;

export function webhookWork(
  stores: Stores & {
    scripts: Scripts;
    mergedReads: MergedReads;
    rankReads: RankReads;
    clock: Clock;
    log: Log;
    tracing: Tracing | null;
  },
  env: Pick<Env, 'deliveries' | 'webhookAllowPrivate' | 'webhookSignatureHeader'>,
): Work<{ webhook: string }> {
  const subscriptions = new Subscriptions(stores.pool);
  const history = { final: prepared(stores.pool) };
  const unshownAwards = unshownAwardsReader(stores.pool);
  const { atOnce, perSecond } = env.deliveries.webhooks;
  stores.log.info(
    env.webhookAllowPrivate
      ? 'LAUREL_WEBHOOK_ALLOW_PRIVATE is set: webhooks are also delivered to private addresses'
      : 'webhooks are delivered to public addresses only; LAUREL_WEBHOOK_ALLOW_PRIVATE=1 allows others',
  );
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
    queue: WEBHOOK_JOB.queue,
    names: [WEBHOOK_JOB.name],
    concurrency: atOnce,
    perSecond: slices.perSecond,
    lockMs: WEBHOOK_LOCK_MS,
    run: async ({ data: { webhook } }, stopping, ending) => {
      const next = await new WebhookQueue(deps, webhook, stopping, ending).run();
      if (next !== 'done') throw new LaterError(next.laterMs);
    },
  };
}

/**
 * Starts the jobs that send emails and push notifications.
 * @returns closes the connections; call it when no job is running
 */
export async function startNotifications(
  env: Env,
  jobs: Jobs,
  deps: Pick<NotificationDependencies, 'pool' | 'rulesStore' | 'users' | 'clock' | 'log'> & {
    redis: Redis;
    tracing: Tracing | null;
  },
): Promise<() => void> {
  if (env.smtpUrl === null)
    deps.log.info({ folder: mailFolder(env) }, 'SMTP_URL is not set: emails are written to files');
  else if (env.publicUrl === null)
    deps.log.warn('LAUREL_PUBLIC_URL is not set: emails have no link to unsubscribe');
  const mailer = createMailer(env, env.deliveries.email.atOnce);
  const links = await PreferenceLinks.open(deps.pool, env.publicUrl);
  const fcm = env.fcm && new FcmClient(env.fcm.account, env.fcm.endpoint);
  const atOnce = { email: env.deliveries.email.atOnce, push: env.deliveries.push.atOnce };
  const delivery = new NotificationDelivery({
    ...deps,
    atOnce,
    links,
    mailer,
    fcm,
    count: (channel, outcome, reason) => countDelivery(deps.redis, channel, outcome, reason),
  });
  for (const channel of ['email', 'push'] as const) {
    jobs.work(notificationWork(deps, channel, env, (id) => delivery.deliver(id)));
  }
  return () => mailer.close();
}
