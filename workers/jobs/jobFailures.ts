import type { Job } from 'bullmq';
import { monotonicMs } from '../../src/base/clock.ts';
import { ServiceError } from '../../src/base/errors.ts';
import type { Log } from '../../src/base/log.ts';
import { asServiceError } from '../../src/engine/stores/availability.ts';

/** After so long without a failure, the next one belongs to another outage: some jobs run only once. */
const OUTAGE_OVER_MS = 60_000;

/**
 * Logs jobs that fail. While a store is unreachable, many jobs fail repeatedly; the outage gets one line, and
 * its end another one.
 */
export class JobFailures {
  readonly #log: Log;
  /** Queues and names of jobs that have failed by an outage and not run since. */
  readonly #waiting = new Set<string>();
  #lastMs = 0;

  constructor(log: Log) {
    this.#log = log;
  }

  failed(queue: string, job: Pick<Job, 'name' | 'id' | 'attemptsMade'> | undefined, error: Error): void {
    const { name, id, attemptsMade } = job ?? {};
    if (!isOutage(error)) {
      this.#log.error({ queue, job: name, id, attemptsMade, error: error.message }, 'a job failed');
      return;
    }
    const now = monotonicMs();
    if (now - this.#lastMs > OUTAGE_OVER_MS) this.#waiting.clear();
    this.#lastMs = now;
    if (this.#waiting.size === 0) {
      this.#log.error({ queue, job: name, error: error.message }, 'jobs fail: a store is unreachable');
    }
    this.#waiting.add(`${queue} ${name}`);
  }

  completed(queue: string, { name }: Pick<Job, 'name'>): void {
    if (this.#waiting.delete(`${queue} ${name}`) && this.#waiting.size === 0)
      this.#log.info('jobs recovered');
  }
}

function isOutage(error: Error): boolean {
  const asAnswered = asServiceError(error);
  return asAnswered instanceof ServiceError && asAnswered.code === 'unavailable';
}
