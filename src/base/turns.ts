import { ServiceError } from './errors.ts';

/** Lets a bounded number of tasks run at once and a bounded number wait, first come, first served. */
export class Turns {
  readonly #atOnceMax: number;
  readonly #waitingMax: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(atOnceMax: number, waitingMax: number) {
    this.#atOnceMax = atOnceMax;
    this.#waitingMax = waitingMax;
  }

  /** @throws ServiceError `unavailable` when too many are waiting; else what the task throws */
  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#atOnceMax) {
      if (this.#waiting.length >= this.#waitingMax) throw new ServiceError('unavailable', 'Too many calls are waiting');
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else {
      this.#running++;
    }
    try {
      return await task();
    } finally {
      // The place passes on to the next one.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running--;
    }
  }
}
