import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../src/base/log.ts';
import type { Jobs } from './jobs.ts';
import { Outage } from './outage.ts';

const QUEUE = 'schedules';
/** Schedules live in Redis: this often they are compared with what they should be, for Redis may have been emptied. */
const RECONCILE_EVERY_MS = 3_000;
/** Different schedules do not wait for each other. */
const CONCURRENCY = 4;

/** Something to be done again and again, by one worker of all. */
export interface Schedule {
  name: string;
  /** When: cron, UTC. */
  pattern: string;
  /** Does all that is due; a run that was missed or has failed is made good by the next one. */
  run(signal: AbortSignal): Promise<void>;
}

/** Keeps BullMQ's job schedulers as they should be, and does their jobs. Any number of workers may. */
export class Schedules {
  readonly #jobs: Jobs;
  readonly #schedules: readonly Schedule[];
  readonly #log: Log;
  readonly #stopping = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(jobs: Jobs, schedules: readonly Schedule[], log: Log) {
    this.#jobs = jobs;
    this.#schedules = schedules;
    this.#log = log;
  }

  start(): void {
    this.#jobs.work<unknown>({
      queue: QUEUE,
      concurrency: CONCURRENCY,
      // A schedule that only a newer or older version knows is left to the workers of that version.
      run: async ({ name }, signal) => this.#schedules.find((schedule) => schedule.name === name)?.run(signal),
    });
    this.#running = this.#loop(this.#stopping.signal);
  }

  /** Makes no more jobs; those at hand are finished by Jobs.stop. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #loop(signal: AbortSignal): Promise<void> {
    const outage = new Outage(this.#log, 'the reconciliation of schedules');
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

  /** Creates what is missing, changes what differs, removes what nobody wants any more. Never doubles a job: its id follows from its time. */
  async reconcile(): Promise<void> {
    const queue = this.#jobs.queue(QUEUE);
    const found = new Map((await queue.getJobSchedulers()).map((scheduler) => [scheduler.key, scheduler.pattern]));
    for (const { name, pattern } of this.#schedules) {
      if (found.get(name) !== pattern) await queue.upsertJobScheduler(name, { pattern, tz: 'UTC' }, { name });
      found.delete(name);
    }
    for (const name of found.keys()) await queue.removeJobScheduler(name);
  }
}
