import type { Batches } from './bulk/batches.ts';
import { filled, type Value } from './form/schema.ts';

/**
 * A change that was cancelled or has failed, so that nobody knows how far it came. If the next one has the
 * same values, it goes on under the same idempotency key, so whatever the first has reached stays as it is.
 */
export class Unfinished {
  #change: { values: Value; same: string; key: string } | null = null;

  /** With which the next form begins; undefined if every change has ended. */
  get values(): Value | undefined {
    return this.#change?.values;
  }

  /**
   * A change by one call. It ends with the answer.
   * @param same what makes it the same change
   */
  async call<T>(same: Value, send: (key: string) => Promise<T>): Promise<T> {
    const answer = await send(this.#keyOf(same));
    this.forget();
    return answer;
  }

  /**
   * A change by many calls. It ends with the last one.
   * @param values of its form
   * @param same those that make it the same change, if not all do
   */
  async *run(values: Value, begin: (key: string) => Batches, same = values): Batches {
    yield* begin(this.#keyOf(values, same));
    this.forget();
  }

  /** Nothing goes on. */
  forget(): void {
    this.#change = null;
  }

  #keyOf(values: Value, same = values): string {
    const text = JSON.stringify(filled(same));
    const key =
      this.#change?.same === text ? this.#change.key : crypto.getRandomValues(new Uint32Array(4)).join('-');
    this.#change = { values, same: text, key };
    return key;
  }
}
