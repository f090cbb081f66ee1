import type { Clock } from '../../src/base/clock.ts';
import type { Env } from '../../src/base/env.ts';
import { DELIVERY_JOBS_MAX, DELIVERY_JOBS_REFILL, EMAILS_PREPARED } from '../../src/base/limits.ts';
import type { Log } from '../../src/base/log.ts';
import { SingleFlight } from '../../src/base/singleFlight.ts';
import type { Tracing } from '../../src/base/spans.ts';
import type { NotificationChannel } from '../../src/contract/preferences.ts';
import {
  type Channel,
  type DueDelivery,
  listDueNotifications,
  listDueWebhooks,
} from '../../src/db/deliveries/dueDeliveries.ts';
import type { LatestDelivery } from '../../src/db/deliveries/webhookWindows.ts';
import type { DeliveryRows } from '../../src/db/deliveries/writeDeliveries.ts';
import type { Pool } from '../../src/db/pool.ts';
import type { Jobs, Work } from './jobs.ts';
import type { Schedule } from './schedules.ts';

/** Name of the jobs of every channel. */
export const DELIVERY_JOB = 'deliver';
/**
 * Priority of later attempts. BullMQ takes jobs without a priority first, so first attempts come before them.
 */
const RETRY_PRIORITY = 1;
const ENDED = { removeOnComplete: true, removeOnFail: true };

const NOTIFICATION_CHANNELS: readonly NotificationChannel[] = ['email', 'push'];

/** What the job of a notification holds. */
export interface DeliveryJob {
  id: string;
}

/** What the job of a webhook holds: its id. */
export interface WebhookJob {
  webhook: string;
}

const jobIdOf = ({ id, attempts }: DueDelivery): string => `${id}-${attempts}`;

/**
 * Sends the notification with this id, unless it has been sent. Records failures and their next attempts
 * itself.
 */
export type Deliver = (id: string, signal: AbortSignal) => Promise<void>;

/**
 * The jobs of the channels. PostgreSQL holds the deliveries; a job is only a reminder and may be lost or
 * repeated. A notification has a job of its own. The deliveries of a webhook share one.
 */
export class DeliveryJobs {
  readonly #jobs: Jobs;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #creating = new SingleFlight<'jobs', void>();

  constructor(jobs: Jobs, clock: Clock, log: Log) {
    this.#jobs = jobs;
    this.#clock = clock;
    this.#log = log;
  }

  /**
   * Creates jobs for new deliveries, as many as the queues have room for. Does not wait and does not fail:
   * the schedule creates the missing jobs.
   */
  createDue(rows: DeliveryRows, latest: readonly LatestDelivery[] = []): void {
    const warn = (error: Error) =>
      this.#log.warn({ error: error.message }, 'deliveries wait for the schedule');
    void this.#creating.run('jobs', () => this.#addDue(rows, latest).catch(warn));
  }

  async #addDue(
    { webhookDeliveries, notificationDeliveries }: DeliveryRows,
    latest: readonly LatestDelivery[],
  ): Promise<void> {
    const now = this.#clock.now();
    const webhooks = new Set<string>();
    for (const { webhook, dueAt } of webhookDeliveries) if (dueAt <= now) webhooks.add(webhook);
    for (const { webhook, dueAt } of latest) if (dueAt <= now) webhooks.add(webhook);
    await this.addWebhooks([...webhooks]);
    const due = notificationDeliveries.filter(({ dueAt }) => dueAt <= now);
    for (const wanted of NOTIFICATION_CHANNELS) {
      const ofChannel = due.filter(({ channel }) => channel === wanted);
      await this.add(
        wanted,
        ofChannel.map(({ id }) => ({ id, attempts: 0 })),
      );
    }
  }

  /** Creates jobs for webhooks. A webhook never has two jobs. */
  async addWebhooks(webhooks: readonly string[]): Promise<void> {
    if (webhooks.length === 0) return;
    await this.#jobs.queue('webhooks').addBulk(
      webhooks.map((webhook) => ({
        name: DELIVERY_JOB,
        data: { webhook },
        opts: { ...ENDED, jobId: webhook },
      })),
    );
  }

  /**
   * Creates jobs for those notifications that have none: a job that BullMQ refuses costs ten times a look at
   * its key.
   */
  async addMissing(channel: NotificationChannel, due: readonly DueDelivery[]): Promise<void> {
    const hasJob = await this.#jobs.exist(channel, due.map(jobIdOf));
    await this.add(
      channel,
      due.filter((_, i) => !hasJob[i]),
    );
  }

  /**
   * Creates jobs for notifications, for the first ones if there is no room for all. A notification never has
   * two jobs.
   */
  async add(channel: NotificationChannel, due: readonly DueDelivery[]): Promise<void> {
    if (due.length === 0) return;
    const { room } = await this.backlog(channel);
    await this.#jobs.queue(channel).addBulk(
      due.slice(0, room).map((delivery) => ({
        name: DELIVERY_JOB,
        data: { id: delivery.id },
        opts: {
          ...ENDED,
          jobId: jobIdOf(delivery),
          ...(delivery.attempts > 0 && { priority: RETRY_PRIORITY }),
        },
      })),
    );
  }

  /** Number of jobs of a channel that no worker has taken yet, and of those that the queue can still take. */
  async backlog(channel: Channel): Promise<{ waiting: number; room: number }> {
    const states = await this.#jobs
      .queue(channel)
      .getJobCounts('waiting', 'prioritized', 'delayed', 'active');
    const { waiting = 0, prioritized = 0, delayed = 0, active = 0 } = states;
    return {
      waiting: waiting + prioritized,
      room: Math.max(0, DELIVERY_JOBS_MAX - waiting - prioritized - delayed - active),
    };
  }
}

/**
 * Creates jobs for all due deliveries: later attempts, deliveries that are due at a certain hour, and
 * deliveries whose job was lost with Redis or never created because the relay stopped after its commit.
 */
export function deliverySchedule(
  { pool, clock }: { pool: Pool; clock: Clock },
  jobs: DeliveryJobs,
): Schedule {
  return {
    name: 'deliveries',
    pattern: '* * * * * *',
    run: async () => {
      await jobs.addWebhooks(await listDueWebhooks(pool, clock.now(), DELIVERY_JOBS_MAX));
      for (const channel of NOTIFICATION_CHANNELS) {
        const { waiting, room } = await jobs.backlog(channel);
        // The longest due notifications are those whose jobs wait. So each list would begin with them.
        if (waiting > DELIVERY_JOBS_REFILL || room === 0) continue;
        await jobs.addMissing(channel, await listDueNotifications(pool, channel, clock.now(), room));
      }
    },
  };
}

/** Runs the jobs of a channel of notifications, within the limits that the environment sets. */
export function notificationWork(
  channel: NotificationChannel,
  { deliveries }: Pick<Env, 'deliveries'>,
  deliver: Deliver,
  tracing: Tracing | null = null,
): Work<DeliveryJob> {
  const { atOnce, perSecond } = deliveries[channel];
  // Further emails are prepared while `atOnce` of them are sent.
  const concurrency = channel === 'email' ? atOnce * EMAILS_PREPARED : atOnce;
  const run: Work<DeliveryJob>['run'] = async ({ data: { id } }, signal) => {
    const attributes = { 'laurel.delivery': id };
    const span = tracing?.begin(`deliver ${channel}`, { kind: 'client', parent: null, attributes });
    try {
      await deliver(id, signal);
      span?.end();
    } catch (error) {
      span?.end(error);
      throw error;
    }
  };
  return { queue: channel, names: [DELIVERY_JOB], concurrency, perSecond, run };
}
