import type { Clock } from '../src/base/clock.ts';
import type { Env } from '../src/base/env.ts';
import { DELIVERY_JOBS_MAX } from '../src/base/limits.ts';
import type { Log } from '../src/base/log.ts';
import { tracing } from '../src/base/tracing.ts';
import { type Channel, type DueDelivery, listDueDeliveries } from '../src/db/deliveries/dueDeliveries.ts';
import type {
  DeliveryRows,
  NotificationDeliveryRow,
  WebhookDeliveryRow,
} from '../src/db/deliveries/writeDeliveries.ts';
import type { Pool } from '../src/db/pool.ts';
import { type Jobs, LaterError, type Work } from './jobs.ts';
import type { TraceOf } from './relaySpans.ts';
import type { Schedule } from './schedules.ts';

/** Name of the jobs of all channels. */
const JOB = 'deliver';
/** Priority of later attempts. BullMQ takes jobs without a priority first, so first attempts come before them. */
const RETRY_PRIORITY = 1;

/** What the job of a delivery holds. */
export interface DeliveryJob {
  id: string;
  /** `context` of the span that has caused the delivery, if it is traced. */
  trace?: string | undefined;
}

type TracedDelivery = DueDelivery & Pick<DeliveryJob, 'trace'>;

/** Sends the delivery with this id, unless it has been sent. Records failures and their next attempts itself. */
export type Deliver = (id: string, signal: AbortSignal) => Promise<void>;

/** The jobs of the channels. PostgreSQL holds the deliveries; a job is only a reminder and may be lost or repeated. */
export class DeliveryJobs {
  readonly #jobs: Jobs;
  readonly #clock: Clock;
  readonly #log: Log;
  #announcing: Promise<void> | undefined;

  constructor(jobs: Jobs, clock: Clock, log: Log) {
    this.#jobs = jobs;
    this.#clock = clock;
    this.#log = log;
  }

  /**
   * Creates jobs for new deliveries, as many as the queues have room for. Does not wait and does not fail: the schedule creates the
   * missing jobs.
   */
  announce(rows: DeliveryRows, traceOf?: TraceOf): void {
    this.#announcing ??= this.#addDue(rows, traceOf)
      .catch((error) => this.#log.warn({ error: error.message }, 'deliveries wait for the schedule'))
      .finally(() => {
        this.#announcing = undefined;
      });
  }

  /** Resolves once the jobs of announced deliveries exist: a job that the schedule creates has no trace. */
  async announced(): Promise<void> {
    await this.#announcing;
  }

  async #addDue({ webhookDeliveries, notificationDeliveries }: DeliveryRows, traceOf?: TraceOf): Promise<void> {
    const now = this.#clock.now();
    const due = (rows: (WebhookDeliveryRow | NotificationDeliveryRow)[]): TracedDelivery[] =>
      rows
        .filter(({ dueAt }) => dueAt <= now)
        .map(({ id, tenant, userId }) => ({ id, attempts: 0, trace: traceOf?.(tenant, userId) }));
    const of = (wanted: Channel) => notificationDeliveries.filter(({ channel }) => channel === wanted);
    await this.add('webhooks', due(webhookDeliveries));
    await this.add('email', due(of('email')));
    await this.add('push', due(of('push')));
  }

  /** Creates jobs for deliveries, for the first ones if there is no room for all. A delivery never has two jobs. */
  async add(channel: Channel, due: readonly TracedDelivery[]): Promise<void> {
    if (due.length === 0) return;
    const room = await this.room(channel);
    const opts = { removeOnComplete: true, removeOnFail: true };
    await this.#jobs.queue(channel).addBulk(
      due.slice(0, room).map(({ id, attempts, trace }) => ({
        name: JOB,
        data: { id, trace },
        opts: { ...opts, jobId: `${id}-${attempts}`, ...(attempts > 0 && { priority: RETRY_PRIORITY }) },
      })),
    );
  }

  /** Number of jobs that the queue of a channel can still take. */
  async room(channel: Channel): Promise<number> {
    const count = await this.#jobs.queue(channel).getJobCountByTypes('waiting', 'prioritized', 'delayed', 'active');
    return Math.max(0, DELIVERY_JOBS_MAX - count);
  }
}

/**
 * Creates jobs for all due deliveries: later attempts, deliveries that are due at a certain hour, and deliveries whose job was lost with
 * Redis or never created because the relay stopped after its commit.
 */
export function deliverySchedule(
  { pool, clock }: { pool: Pool; clock: Clock },
  jobs: DeliveryJobs,
  channels: readonly Channel[],
): Schedule {
  return {
    name: 'deliveries',
    pattern: '* * * * * *',
    run: async () => {
      await jobs.announced();
      for (const channel of channels) {
        const room = await jobs.room(channel);
        if (room > 0) await jobs.add(channel, await listDueDeliveries(pool, channel, clock.now(), room));
      }
    },
  };
}

/** Runs the jobs of a channel, within the limits that the environment sets. */
export function deliveryWork(
  channel: Channel,
  { deliveries }: Pick<Env, 'deliveries'>,
  deliver: Deliver,
): Work<DeliveryJob> {
  const { atOnce, perSecond } = deliveries[channel];
  const run: Work<DeliveryJob>['run'] = async ({ data: { id, trace } }, signal) => {
    const attributes = { 'laurel.delivery': id };
    const span = tracing?.begin(`deliver ${channel}`, { kind: 'client', parent: trace ?? null, attributes });
    try {
      await deliver(id, signal);
      span?.end();
    } catch (error) {
      span?.end(error instanceof LaterError ? undefined : error);
      throw error;
    }
  };
  return { queue: channel, names: [JOB], concurrency: atOnce, perSecond, run };
}
