import type { ActivityRow } from './historyRows.ts';

/** Bounds the memory to some tens of megabytes. */
const KNOWN_MAX = 250_000;

/**
 * Active days that user_activity contains, so that they need not be looked up again. Users are given by their
 * numbers, because a user who is created again after an erasure has another number.
 */
export class KnownDays {
  /** User numbers by day and metric. */
  readonly #known = new Map<number, Map<number, Set<number>>>();
  #count = 0;

  has(userNo: number, { metric, day }: ActivityRow): boolean {
    return this.#known.get(day)?.get(metric)?.has(userNo) === true;
  }

  /** Call this once the transaction that wrote the day is committed. */
  add(userNo: number, { metric, day }: ActivityRow): void {
    if (this.#count >= KNOWN_MAX) this.#clear();
    const users = this.#usersOf(day, metric);
    const before = users.size;
    users.add(userNo);
    this.#count += users.size - before;
  }

  #clear(): void {
    this.#known.clear();
    this.#count = 0;
  }

  #usersOf(day: number, metric: number): Set<number> {
    let metrics = this.#known.get(day);
    if (metrics === undefined) {
      metrics = new Map();
      this.#known.set(day, metrics);
    }
    let users = metrics.get(metric);
    if (users === undefined) {
      users = new Set();
      metrics.set(metric, users);
    }
    return users;
  }
}
