/** Calls with the same key share one run of their task until it ends. The result is not kept. */
export class SingleFlight<K, T> {
  readonly #inFlight = new Map<K, Promise<T>>();

  /** Runs `task`, unless a task with this key is in flight; then returns the promise of that one. */
  run(key: K, task: () => Promise<T>): Promise<T> {
    let flight = this.#inFlight.get(key);
    if (flight === undefined) {
      flight = task().finally(() => this.#inFlight.delete(key));
      this.#inFlight.set(key, flight);
    }
    return flight;
  }

  /** The promise of the task in flight with this key. */
  get(key: K): Promise<T> | undefined {
    return this.#inFlight.get(key);
  }
}
