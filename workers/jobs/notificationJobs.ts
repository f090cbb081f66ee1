import type { Redis } from 'ioredis';
import type { Env } from '../../src/base/env.ts';
import type { Log } from '../../src/base/log.ts';
import type { Tracing } from '../../src/base/spans.ts';
import { createMailer, mailFolder } from '../../src/notifications/messages/createMailer.ts';
import {
  NotificationDelivery,
  type NotificationDependencies,
} from '../../src/notifications/messages/deliver.ts';
import { FcmClient } from '../../src/notifications/messages/fcm.ts';
import { PreferenceLinks } from '../../src/notifications/messages/preferenceLinks.ts';
import { countDelivery } from '../../src/redis/state/deliveryCounts.ts';
import { notificationWork } from './deliveryJobs.ts';
import type { Jobs } from './jobs.ts';

export interface NotificationWork {
  /** Closes the connections. Call it when no job is running. */
  close(): void;
}

/** The jobs that send emails and push notifications. */
export async function startNotifications(
  env: Env,
  jobs: Jobs,
  deps: Pick<NotificationDependencies, 'pool' | 'rulesStore' | 'users' | 'clock' | 'log'> & {
    redis: Redis;
    tracing: Tracing | null;
  },
): Promise<NotificationWork> {
  logMailSettings(env, deps.log);
  const mailer = createMailer(env, env.deliveries.email.atOnce);
  const links = await PreferenceLinks.open(deps.pool, env.publicUrl);
  const fcm = env.fcm && new FcmClient(env.fcm.account, env.fcm.endpoint);
  const count: NotificationDependencies['count'] = (channel, outcome, reason) =>
    countDelivery(deps.redis, channel, outcome, reason);
  const atOnce = { email: env.deliveries.email.atOnce, push: env.deliveries.push.atOnce };
  const delivery = new NotificationDelivery({ ...deps, atOnce, links, mailer, fcm, count });
  for (const channel of ['email', 'push'] as const) {
    jobs.work(notificationWork(deps, channel, env, (id) => delivery.deliver(id)));
  }
  return { close: () => mailer.close() };
}

function logMailSettings(env: Env, log: Log): void {
  if (env.smtpUrl === null)
    log.info({ folder: mailFolder(env) }, 'SMTP_URL is not set: emails are written to files');
  else if (env.publicUrl === null)
    log.warn('LAUREL_PUBLIC_URL is not set: emails have no link to unsubscribe');
}
