import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../src/base/log.ts';
import { Outage } from '../relay/outage.ts';
import type { Jobs } from './jobs.ts';

const QUEUE = 'schedules';
/** Interval at which the schedules in Redis are checked, because Redis may have been emptied. */
const RECONCILE_EVERY_MS = 3_000;
/**
 * Raise this number if a schedule is added or removed, or if its pattern changes. The workers with the
 * highest number maintain the schedules; others only run the jobs that they know.
 */
export const SCHEDULES_VERSION = 2;
/**
 * Time after which workers of an older version maintain the schedules again, if no worker of the newer one
 * runs.
 */
const CLAIM_MS = 60_000;
const CONCURRENCY = 4;
/** Time after which a task runs again whose worker, or whose Redis, was killed as it began. */
const LOCK_MS = 10_000;

/** A task that runs repeatedly, each time on one of the workers. */
export interface Schedule<C = unknown> {
  name: string;
  /** Cron pattern, in UTC. */
  pattern: string;
  /** Does all work that is due, so that the next run makes up for a missed or failed one. */
  run(context: C, signal: AbortSignal): Promise<unknown>;
}

interface ScheduleContext {
  jobs: Jobs;
  log: Log;
}

/** Maintains the job schedulers of BullMQ and runs their jobs. Any number of workers may do so. */
export class Schedules<C extends ScheduleContext = ScheduleContext> {
  readonly #schedules: readonly Schedule<C>[];
  readonly #context: C;
  readonly #version: number;
  readonly #stopping = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(schedules: readonly Schedule<C>[], context: C, version = SCHEDULES_VERSION) {
    this.#schedules = schedules;
    this.#context = context;
    this.#version = version;
  }

  start(): void {
    this.#context.jobs.work<unknown>({
      queue: QUEUE,
      names: this.#schedules.map(({ name }) => name),
      concurrency: CONCURRENCY,
      lockMs: LOCK_MS,
      run: async ({ name }, signal) => {
        await this.#schedules.find((schedule) => schedule.name === name)?.run(this.#context, signal);
      },
    });
    this.#running = this.#loop(this.#stopping.signal);
  }

  /** Stops the reconciliation. Running jobs are finished by Jobs.stop. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #loop(signal: AbortSignal): Promise<void> {
    const outage = new Outage(this.#context.log, 'the reconciliation of schedules');
    while (!signal.aborted) {
      try {
        await this.reconcile();
        outage.over();
        await sleep(RECONCILE_EVERY_MS, undefined, { signal }).catch(() => {});
      } catch (error) {
        await outage.wait(error, signal);
      }
    }
  }

  /**
   * Creates missing schedulers, updates changed ones and removes unknown ones, unless workers of a newer
   * version do so. Jobs are not duplicated, because their ids are derived from their times.
   */
  async reconcile(): Promise<void> {
    const { jobs } = this.#context;
    if (!(await jobs.claim(QUEUE, this.#version, CLAIM_MS))) return;
    const queue = jobs.queue(QUEUE);
    const found = new Map(
      (await queue.getJobSchedulers()).map((scheduler) => [scheduler.key, scheduler.pattern]),
    );
    for (const { name, pattern } of this.#schedules) {
      if (found.get(name) !== pattern) await queue.upsertJobScheduler(name, { pattern, tz: 'UTC' }, { name });
      found.delete(name);
    }
    for (const name of found.keys()) await queue.removeJobScheduler(name);
  }
}
