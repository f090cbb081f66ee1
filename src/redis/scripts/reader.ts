/** The values of a script's reply. */
export type Flat = (number | string | boolean)[];

/** Reads a flat reply, record by record. */
export class Reader {
  readonly #flat: Flat;
  #at = 0;

  constructor(flat: Flat) {
    this.#flat = flat;
  }

  get atEnd(): boolean {
    return this.#at >= this.#flat.length;
  }

  /** The next value, without advancing. */
  get next(): unknown {
    return this.#flat[this.#at];
  }

  value<T>(): T {
    return this.#flat[this.#at++] as T;
  }

  /** Advances past a record. @returns the index of its first value */
  record(size: number): number {
    this.#at += size;
    return this.#at - size;
  }

  /** The value at an index. */
  get<T>(index: number): T {
    return this.#flat[index] as T;
  }

  list<T>(count: number, readItem: (reader: Reader) => T): T[] {
    // An array that grows reserves room for many more items than these lists have.
    const items = count > 0 ? new Array<T>(count) : [];
    for (let i = 0; i < count; i++) items[i] = readItem(this);
    return items;
  }
}
