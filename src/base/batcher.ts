import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from './clock.ts';

interface Waiting<T, R> {
  item: T;
  resolve(result: R): void;
  reject(error: unknown): void;
}

export interface BatcherOptions {
  /** Items of one call. */
  most: number;
  /** Least time between the beginnings of two calls, ms; 0 by default. */
  everyMs?: number;
  /** Whether each item alone would fail in the same way. */
  isCommon(error: unknown): boolean;
}

/**
 * Calls that arrive while a batch is in flight wait and form the next batch. An idle process makes each call
 * at once; a busy process makes few.
 */
export class Batcher<T, R> {
  readonly #make: (items: readonly T[]) => Promise<readonly R[]>;
  readonly #options: BatcherOptions;
  #waiting: Waiting<T, R>[] = [];
  #isRunning = false;
  #beganMs = Number.NEGATIVE_INFINITY;

  /** @param make gives one result for each item, in the same order */
  constructor(make: (items: readonly T[]) => Promise<readonly R[]>, options: BatcherOptions) {
    this.#make = make;
    this.#options = options;
  }

  /** @throws what `make` throws, if it is common to all items or if this item alone causes it */
  call(item: T): Promise<R> {
    const result = new Promise<R>((resolve, reject) => this.#waiting.push({ item, resolve, reject }));
    if (!this.#isRunning) {
      this.#isRunning = true;
      // Wait for further calls of this turn of the event loop.
      setImmediate(() => void this.#run());
    }
    return result;
  }

  async #run(): Promise<void> {
    const { everyMs = 0 } = this.#options;
    while (this.#waiting.length > 0) {
      const restMs = this.#beganMs + everyMs - monotonicMs();
      if (restMs > 0) await sleep(restMs);
      this.#beganMs = monotonicMs();
      const calls = this.#waiting.slice(0, this.#options.most);
      this.#waiting = this.#waiting.slice(calls.length);
      await this.#try(calls);
    }
    this.#isRunning = false;
  }

  /** If a batch fails, each call is made alone, so that one call cannot make others fail. */
  async #try(calls: readonly Waiting<T, R>[]): Promise<void> {
    try {
      const results = await this.#make(calls.map(({ item }) => item));
      for (const [i, { resolve }] of calls.entries()) resolve(results[i]!);
    } catch (error) {
      if (calls.length === 1 || this.#options.isCommon(error)) for (const { reject } of calls) reject(error);
      else for (const one of calls) await this.#try([one]);
    }
  }
}
