/** Runs something for items once this turn of the event loop ends: once for each, one after the other. */
export class EndOfTurn<T> {
  readonly #run: (item: T) => void;
  #items = new Set<T>();

  constructor(run: (item: T) => void) {
    this.#run = run;
  }

  add(item: T): void {
    if (this.#items.size === 0) setImmediate(() => this.#runAll());
    this.#items.add(item);
  }

  #runAll(): void {
    const items = this.#items;
    this.#items = new Set();
    for (const item of items) this.#run(item);
  }
}
