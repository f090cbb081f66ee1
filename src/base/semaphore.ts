import { ServiceError } from './errors.ts';

/** Runs a bounded number of tasks at once. A bounded number waits, in the order of arrival. */
export class Semaphore {
  readonly #atOnceMax: number;
  readonly #waitingMax: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(atOnceMax: number, waitingMax: number) {
    this.#atOnceMax = atOnceMax;
    this.#waitingMax = waitingMax;
  }

  /** @throws ServiceError `unavailable` if too many tasks wait; else the error of the task */
  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#atOnceMax) {
      if (this.#waiting.length >= this.#waitingMax)
        throw new ServiceError('unavailable', 'Too many calls are waiting');
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else {
      this.#running++;
    }
    try {
      return await task();
    } finally {
      // The next waiting task takes the slot.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running--;
    }
  }
}
