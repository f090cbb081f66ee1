import { type Layout, type Position, readRecord, valueAt } from '../layouts/recordLayout.ts';

/** The values of a script's reply. */
export type FlatReply = (number | string | boolean)[];

/** Reads a flat reply, record by record. */
export class Reader {
  readonly #flat: FlatReply;
  #at = 0;

  constructor(flat: FlatReply) {
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

  /** The next record, by the names of its values. */
  named<R>(layout: Layout<R>): R {
    return readRecord(layout, this.#flat, this.record(layout.size));
  }

  /** A value of the record that begins at `base`. */
  get<T>(base: number, at: Position<T>): T {
    return valueAt(this.#flat, base, at);
  }

  list<T>(count: number, readItem: (reader: Reader) => T): T[] {
    // An array that grows reserves room for many more items than these lists have.
    const items = count > 0 ? new Array<T>(count) : [];
    for (let i = 0; i < count; i++) items[i] = readItem(this);
    return items;
  }
}
