import type { ReachedGoalRow } from './historyRows.ts';

/** Bounds the memory to some tens of megabytes. */
const KNOWN_MAX = 250_000;

/**
 * Rows that reached_goals contains, so that each event of a user who has reached a goal need not look for
 * them again. Users are given by their numbers, as in KnownDays.
 */
export class KnownGoals {
  readonly #known = new Set<string>();

  has(userNo: number, row: ReachedGoalRow): boolean {
    return this.#known.has(keyOf(userNo, row));
  }

  /** Call this once the transaction that wrote the row is committed. */
  add(userNo: number, row: ReachedGoalRow): void {
    if (this.#known.size >= KNOWN_MAX) this.#known.clear();
    this.#known.add(keyOf(userNo, row));
  }
}

const keyOf = (userNo: number, { challenge, run, goal }: ReachedGoalRow): string =>
  `${userNo} ${challenge} ${run} ${goal}`;
