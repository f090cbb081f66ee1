import { join } from 'node:path';
import type { Redis } from 'ioredis';
import type { Env } from '../../src/base/env.ts';
import type { Log } from '../../src/base/log.ts';
import type { Tracing } from '../../src/base/spans.ts';
import {
  NotificationDelivery,
  type NotificationDependencies,
} from '../../src/notifications/messages/deliver.ts';
import { FcmClient } from '../../src/notifications/messages/fcm.ts';
import { createFileMailer, createSmtpMailer, type Mailer } from '../../src/notifications/messages/mailer.ts';
import { PreferenceLinks } from '../../src/notifications/messages/preferenceLinks.ts';
import { countDelivery } from '../../src/redis/state/deliveryCounts.ts';
import { notificationWork } from './deliveryJobs.ts';
import type { Jobs } from './jobs.ts';

/** Folder of the data directory to which emails are written if no mail server is configured. */
const MAIL_FOLDER = 'mail';

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
  const mailer = createMailer(env, deps.log);
  const links = await PreferenceLinks.open(deps.pool, env.publicUrl);
  const fcm = env.fcm && new FcmClient(env.fcm.account, env.fcm.endpoint);
  const count: NotificationDependencies['count'] = (channel, outcome, reason) =>
    countDelivery(deps.redis, channel, outcome, reason);
  const atOnce = { email: env.deliveries.email.atOnce, push: env.deliveries.push.atOnce };
  const delivery = new NotificationDelivery({ ...deps, atOnce, links, mailer, fcm, count });
  for (const channel of ['email', 'push'] as const) {
    jobs.work(notificationWork(channel, env, (id) => delivery.deliver(id), deps.tracing));
  }
  return { close: () => mailer.close() };
}

function createMailer({ smtpUrl, mailFrom, publicUrl, dataDir, deliveries }: Env, log: Log): Mailer {
  if (smtpUrl !== null && publicUrl === null) {
    log.warn('LAUREL_PUBLIC_URL is not set: emails have no link to unsubscribe');
  }
  if (smtpUrl !== null) return createSmtpMailer(smtpUrl, mailFrom, deliveries.email.atOnce);
  const folder = join(dataDir, MAIL_FOLDER);
  log.info({ folder }, 'SMTP_URL is not set: emails are written to files');
  return createFileMailer(folder, mailFrom);
}
