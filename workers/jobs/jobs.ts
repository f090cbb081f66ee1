import { DelayedError, type Job, type JobsOptions, Queue, UnrecoverableError, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { systemClock } from '../../src/base/clock.ts';
import type { Log } from '../../src/base/log.ts';
import { atMost } from '../../src/base/withTimeout.ts';
import { JOBS_PREFIX, type QueueName } from '../../src/redis/state/jobCounts.ts';
import { JobFailures } from './jobFailures.ts';

const STOP_MS_MAX = 10_000;
/**
 * Time that a stop leaves requests to be answered. A receiver whose answer is not awaited gets the request
 * again, from another process.
 */
const ANSWER_MS_MAX = 3_000;
/** Finished jobs that are kept for inspection. */
const COMPLETED_KEPT = 50;
const FAILED_KEPT = 500;
/**
 * Interval at which workers look for jobs whose worker has ended. Such a job runs again once its lock has
 * expired (30 s).
 */
const STALLED_CHECK_EVERY_MS = 5_000;
/** Minutes for which BullMQ counts completed and failed jobs (Queue.getMetrics). */
const METRICS_MINUTES = 1_440;

/**
 * Pauses between two attempts to give a job of an unknown name to a worker that knows it, and how long such a
 * job is kept.
 */
const UNKNOWN_JOB_RETRY_MS = 1_000;
const UNKNOWN_JOB_KEPT_MS = 600_000;

export interface JobKind<T> {
  queue: QueueName;
  name: string;
  /** Identity and life of the job for these data. */
  options(data: T): JobsOptions;
}

/** Options of a job that exists once at a time, and of which nothing stays when it ends. */
export const once = (jobId: string): JobsOptions => ({ jobId, removeOnComplete: true, removeOnFail: true });

export interface Work<T> {
  queue: QueueName;
  /** Names of the jobs that this version runs. Jobs of other names are left to workers of another version. */
  names: readonly string[];
  /** Jobs of this queue that this process runs at once. */
  concurrency: number;
  /** Jobs of this queue that all processes together start in a second; null for no limit. */
  perSecond?: number | null;
  /** Time after which a job of a worker that was killed runs again; by default BullMQ's. */
  lockMs?: number;
  /**
   * Runs a job. If it throws, the job has failed; it is tried again if it was added with `attempts`.
   * @param stopping is aborted at a stop
   * @param ending is aborted `ANSWER_MS_MAX` later
   * @throws LaterError to run the job again later
   */
  run(job: Job<T>, stopping: AbortSignal, ending: AbortSignal): Promise<void>;
}

/**
 * Thrown by a job that cannot run now. It runs again after `delayMs`; meanwhile the worker takes other jobs.
 */
export class LaterError extends Error {
  readonly delayMs: number;

  constructor(delayMs: number) {
    super(`retry in ${delayMs} ms`);
    this.delayMs = delayMs;
  }
}

/** The queues and workers of BullMQ, over one connection, stopped together. */
export class Jobs {
  readonly #redis: Redis;
  readonly #log: Log;
  readonly #prefix: string;
  readonly #queues = new Map<string, Queue>();
  readonly #workers: Worker[] = [];
  readonly #stopping = new AbortController();
  readonly #ending = new AbortController();
  /** Workers that have left a job to others, and when they go on. */
  readonly #resting = new Map<Worker, NodeJS.Timeout>();
  readonly #failures: JobFailures;
  /** Number of times that a job was left to a worker of another version, by queue. */
  readonly left = new Map<string, number>();

  /** @param prefix of the keys; tests that share a Redis use their own */
  constructor(redis: Redis, log: Log, prefix = JOBS_PREFIX) {
    this.#redis = redis;
    this.#log = log;
    this.#prefix = prefix;
    this.#failures = new JobFailures(log);
  }

  /**
   * Claims something for a version, until it has not been claimed for `ms`.
   * @returns false if a newer version has claimed it
   */
  async claim(what: string, version: number, ms: number): Promise<boolean> {
    const key = `${this.#prefix}:${what}:version`;
    if (Number(await this.#redis.get(key)) > version) return false;
    await this.#redis.set(key, version, 'PX', ms);
    return true;
  }

  queue(name: string): Queue {
    let queue = this.#queues.get(name);
    if (queue === undefined) {
      queue = new Queue(name, {
        connection: this.#redis,
        prefix: this.#prefix,
        defaultJobOptions: { removeOnComplete: COMPLETED_KEPT, removeOnFail: FAILED_KEPT },
      });
      this.#logErrors(queue, name);
      this.#queues.set(name, queue);
    }
    return queue;
  }

  /** Creates jobs, except those that exist. */
  async add<T>({ queue, name, options }: JobKind<T>, all: readonly T[]): Promise<void> {
    if (all.length === 0) return;
    await this.queue(queue).addBulk(all.map((data) => ({ name, data, opts: options(data) })));
  }

  work<T>({ queue, names, concurrency, perSecond = null, lockMs, run }: Work<T>): void {
    const process = async (job: Job<T>, token?: string): Promise<void> => {
      try {
        if (names.includes(job.name)) await run(job, this.#stopping.signal, this.#ending.signal);
        else this.#leave(queue, job);
      } catch (error) {
        if (!(error instanceof LaterError)) throw error;
        await job.moveToDelayed(systemClock.now() + error.delayMs, token);
        if (!names.includes(job.name)) await this.#rest(worker, 1.5 * error.delayMs);
        throw new DelayedError();
      }
    };
    const worker: Worker<T> = new Worker<T>(queue, process, {
      connection: this.#redis,
      prefix: this.#prefix,
      concurrency,
      stalledInterval: STALLED_CHECK_EVERY_MS,
      metrics: { maxDataPoints: METRICS_MINUTES },
      ...(lockMs !== undefined && { lockDuration: lockMs }),
      ...(perSecond !== null && { limiter: { max: perSecond, duration: 1_000 } }),
    });
    this.#logErrors(worker, queue);
    worker.on('failed', (job, error) => this.#failures.failed(queue, job, error));
    worker.on('completed', (job) => this.#failures.completed(queue, job));
    worker.on('stalled', (id) => this.#log.warn({ queue, id }, 'a job stalled and runs again'));
    this.#workers.push(worker);
  }

  /**
   * Jobs can be created again from PostgreSQL, so one that no worker has known for a while may be given up.
   */
  #leave(queue: string, { name, timestamp }: Job): never {
    this.left.set(queue, (this.left.get(queue) ?? 0) + 1);
    if (systemClock.now() - timestamp < UNKNOWN_JOB_KEPT_MS) throw new LaterError(UNKNOWN_JOB_RETRY_MS);
    throw new UnrecoverableError(`no worker can run the job "${name}"`);
  }

  /** Takes no jobs for a while: of all workers, one may be the first to see a job again each time. */
  async #rest(worker: Worker, ms: number): Promise<void> {
    clearTimeout(this.#resting.get(worker));
    await worker.pause(true);
    const resume = (): void => {
      this.#resting.delete(worker);
      if (!this.#stopping.signal.aborted) void worker.resume();
    };
    this.#resting.set(worker, setTimeout(resume, ms).unref());
  }

  /** Waits for running jobs, at most `STOP_MS_MAX`; BullMQ then gives unfinished jobs to another worker. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    const closing = Promise.all([...this.#workers, ...this.#queues.values()].map((part) => part.close()));
    await atMost(closing, ANSWER_MS_MAX);
    this.#ending.abort();
    await atMost(closing, STOP_MS_MAX - ANSWER_MS_MAX);
    this.#redis.disconnect();
  }

  /** Logs errors of BullMQ, each once in a row. Errors of the connection are logged by the connection. */
  #logErrors(part: Queue | Worker, queue: string): void {
    let last = '';
    const say = (error: Error): void => {
      if (this.#redis.status !== 'ready' || error.message === last) return;
      last = error.message;
      this.#log.warn({ queue, error: error.message }, 'BullMQ error');
    };
    // `on` has different overloads in the two classes, so TypeScript needs two calls.
    if (part instanceof Queue) part.on('error', say);
    else part.on('error', say);
  }
}
