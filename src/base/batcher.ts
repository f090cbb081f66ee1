interface Waiting<T, R> {
  item: T;
  resolve(result: R): void;
  reject(error: unknown): void;
}

export interface BatcherOptions {
  /** Items of one call. */
  most: number;
  /** Whether each item alone would fail in the same way. */
  isCommon(error: unknown): boolean;
}

/**
 * Makes calls together: those that come while others are under way wait, and are then made as one. So an idle process makes each call at
 * once, and a busy one makes few.
 */
export class Batcher<T, R> {
  readonly #make: (items: readonly T[]) => Promise<readonly R[]>;
  readonly #options: BatcherOptions;
  #waiting: Waiting<T, R>[] = [];
  #isRunning = false;

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
      // The other calls of this turn of the event loop join.
      setImmediate(() => void this.#run());
    }
    return result;
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      const calls = this.#waiting.slice(0, this.#options.most);
      this.#waiting = this.#waiting.slice(calls.length);
      await this.#try(calls);
    }
    this.#isRunning = false;
  }

  /** If several calls fail together, each is made alone, so that one cannot make others fail. */
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
