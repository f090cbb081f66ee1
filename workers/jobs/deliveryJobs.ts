import { type Clock, monotonicMs } from '../../src/base/clock.ts';
import type { Env } from '../../src/base/env.ts';
import {
  DELIVERY_JOBS_MAX,
  DELIVERY_SLICE_MS,
  PREPARED_OF_SHARD,
  SHARD_PAGE_MAX,
  SHARDS_AT_ONCE,
} from '../../src/base/limits.ts';
import type { Log } from '../../src/base/log.ts';
import { SingleFlight } from '../../src/base/singleFlight.ts';
import type { Tracing } from '../../src/base/spans.ts';
import type { NotificationChannel } from '../../src/contract/preferences.ts';
import {
  digitOf,
  listDueNotifications,
  listDueShards,
  listDueWebhooks,
  type Shard,
} from '../../src/db/deliveries/dueDeliveries.ts';
import type { LatestDelivery } from '../../src/db/deliveries/webhookWindows.ts';
import type { DeliveryRows } from '../../src/db/deliveries/writeDeliveries.ts';
import type { Pool } from '../../src/db/pool.ts';
import { type Jobs, LaterError, type Work } from './jobs.ts';
import type { Schedule } from './schedules.ts';
import { slicesWithin } from './slices.ts';

/** Name of the jobs of webhooks. */
export const DELIVERY_JOB = 'deliver';
/** Name of the jobs of notifications. */
export const SHARD_JOB = 'deliver shard';
const ENDED = { removeOnComplete: true, removeOnFail: true };
/** Pause between two time slices of a shard. */
const PAUSE_MS = 10;

const NOTIFICATION_CHANNELS: readonly NotificationChannel[] = ['email', 'push'];

/** What the job of a shard holds. */
export type ShardJob = Pick<Shard, 'digit'>;

/** What the job of a webhook holds: its id. */
export interface WebhookJob {
  webhook: string;
}

/**
 * Sends the notification with this id, unless it has been sent. Records failures and their next attempts
 * itself.
 */
export type Deliver = (id: string) => Promise<void>;

/**
 * The jobs of the channels. PostgreSQL holds the deliveries; a job is only a reminder and may be lost or
 * repeated. The deliveries of a webhook share a job, and so do the notifications of a shard.
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
   * Creates jobs for new deliveries. Does not wait and does not fail: the schedule creates the missing jobs.
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
      await this.addShards(wanted, new Set(ofChannel.map(({ id }) => digitOf(id))));
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

  /** Creates jobs for shards of a channel. A shard never has two jobs. */
  async addShards(channel: NotificationChannel, digits: Iterable<string>): Promise<void> {
    const jobs = Array.from(digits, (digit) => ({
      name: SHARD_JOB,
      data: { digit },
      opts: { ...ENDED, jobId: `shard-${digit}` },
    }));
    if (jobs.length > 0) await this.#jobs.queue(channel).addBulk(jobs);
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
        await jobs.addShards(channel, await listDueShards(pool, channel, clock.now()));
      }
    },
  };
}

/** Sends the notifications of a channel, within the limits that the environment sets. */
export function notificationWork(
  { pool, clock, tracing = null }: { pool: Pool; clock: Clock; tracing?: Tracing | null },
  channel: NotificationChannel,
  { deliveries }: Pick<Env, 'deliveries'>,
  deliver: Deliver,
): Work<ShardJob> {
  const { atOnce, perSecond } = deliveries[channel];
  const slices = slicesWithin(perSecond);
  const together = atOnce * PREPARED_OF_SHARD;
  const deliverTraced: Deliver = async (id) => {
    const attributes = { 'laurel.delivery': id };
    const span = tracing?.begin(`deliver ${channel}`, { kind: 'client', parent: null, attributes });
    try {
      await deliver(id);
      span?.end();
    } catch (error) {
      span?.end(error);
      throw error;
    }
  };
  return {
    queue: channel,
    names: [SHARD_JOB],
    concurrency: SHARDS_AT_ONCE,
    perSecond: slices.perSecond,
    run: async ({ data: { digit } }, signal) => {
      const endMs = monotonicMs() + DELIVERY_SLICE_MS;
      const isOver = (): boolean => signal.aborted || monotonicMs() >= endMs;
      for (let left = slices.attemptsMax; left > 0 && !isOver(); ) {
        const most = Math.min(left, SHARD_PAGE_MAX);
        const due = await listDueNotifications(pool, { channel, digit }, clock.now(), most);
        if (due.length === 0) return;
        await inParts(due, together, isOver, deliverTraced);
        left -= due.length;
      }
      if (!signal.aborted) throw new LaterError(PAUSE_MS);
    },
  };
}

/**
 * Delivers `together` notifications at a time, until all have been tried or `isOver`.
 * @throws the first error, at the end: one that cannot be delivered must not keep back the others
 */
async function inParts(
  ids: readonly string[],
  together: number,
  isOver: () => boolean,
  deliver: Deliver,
): Promise<void> {
  const failures: unknown[] = [];
  for (let at = 0; at < ids.length && !isOver(); at += together) {
    const part = ids.slice(at, at + together);
    await Promise.all(part.map((id) => deliver(id).catch((error) => failures.push(error))));
  }
  if (failures.length > 0) throw failures[0];
}
