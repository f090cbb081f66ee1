import type { ActivityRow } from './historyRows.ts';

/** Bounds the memory to some tens of megabytes. */
const KNOWN_MAX = 250_000;

/**
 * Active days that user_activity contains, so that they need not be looked up again. Users are given by their numbers, because an erased
 * user who comes back has another number.
 */
export class KnownDays {
  readonly #known = new Set<string>();

  has(userNo: number, { metric, day }: ActivityRow): boolean {
    return this.#known.has(`${userNo} ${metric} ${day}`);
  }

  /** Call this once the transaction that wrote the day is committed. */
  add(userNo: number, { metric, day }: ActivityRow): void {
    if (this.#known.size >= KNOWN_MAX) this.#known.clear();
    this.#known.add(`${userNo} ${metric} ${day}`);
  }
}
