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
import { type JobKind, type Jobs, LaterError, once, type Work } from './jobs.ts';

/** Pause between two time slices of a shard. */
const PAUSE_MS = 10;

const NOTIFICATION_CHANNELS: readonly NotificationChannel[] = ['email', 'push'];

export const WEBHOOK_JOB: JobKind<{ webhook: string }> = {
  queue: 'webhooks',
  name: 'deliver',
  options: ({ webhook }) => once(webhook),
};

/** Sends the due notifications of a shard of a channel. */
const shardJob = (channel: NotificationChannel): JobKind<Pick<Shard, 'digit'>> => ({
  queue: channel,
  name: 'deliver shard',
  options: ({ digit }) => once(`shard-${digit}`),
});

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
      this.#log.warn({ error: error.message }, 'delivery jobs were not created; the schedule creates them');
    void this.#creating.run('jobs', () => this.#addNew(rows, latest).catch(warn));
  }

  async #addNew(
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

  /**
   * Creates jobs for all due deliveries: later attempts, deliveries that are due at a certain hour, and
   * deliveries whose job was lost with Redis or never created because the relay stopped after its commit.
   */
  async addDue(pool: Pool): Promise<void> {
    await this.addWebhooks(await listDueWebhooks(pool, this.#clock.now(), DELIVERY_JOBS_MAX));
    for (const channel of NOTIFICATION_CHANNELS)
      await this.addShards(channel, await listDueShards(pool, channel, this.#clock.now()));
  }

  /** A webhook never has two jobs. */
  async addWebhooks(webhooks: readonly string[]): Promise<void> {
    await this.#jobs.add(
      WEBHOOK_JOB,
      webhooks.map((webhook) => ({ webhook })),
    );
  }

  /** A shard never has two jobs. */
  async addShards(channel: NotificationChannel, digits: Iterable<string>): Promise<void> {
    await this.#jobs.add(
      shardJob(channel),
      Array.from(digits, (digit) => ({ digit })),
    );
  }
}

/** Under a limit, a time slice has this share of the attempts of a second. */
const SHARE_OF_LIMIT = 0.1;

/** Attempts of one time slice, and time slices per second of all workers, under a limit of attempts. */
export function slicesWithin(perSecond: number | null): { attemptsMax: number; perSecond: number | null } {
  if (perSecond === null) return { attemptsMax: Infinity, perSecond: null };
  const attemptsMax = Math.max(1, Math.floor(perSecond * SHARE_OF_LIMIT));
  return { attemptsMax, perSecond: Math.floor(perSecond / attemptsMax) };
}

/** Sends the notifications of a channel, within the limits that the environment sets. */
export function notificationWork(
  { pool, clock, tracing = null }: { pool: Pool; clock: Clock; tracing?: Tracing | null },
  channel: NotificationChannel,
  { deliveries }: Pick<Env, 'deliveries'>,
  deliver: Deliver,
): Work<Pick<Shard, 'digit'>> {
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
    names: [shardJob(channel).name],
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
