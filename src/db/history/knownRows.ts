import type { ActivityRow, ReachedGoalRow } from './historyRows.ts';

/** Bounds the memory to some tens of megabytes. */
const KNOWN_MAX = 250_000;

/**
 * Rows of users that a table contains, so that they need not be looked up again. Users are given by their
 * numbers, because a user who is created again after an erasure has another number.
 */
class KnownRows<R> {
  readonly #groupOf: (row: R) => string;
  /** User numbers by group. */
  readonly #known = new Map<string, Set<number>>();
  #count = 0;

  /** @param groupOf what a row says beside the user */
  constructor(groupOf: (row: R) => string) {
    this.#groupOf = groupOf;
  }

  has(userNo: number, row: R): boolean {
    return this.#known.get(this.#groupOf(row))?.has(userNo) === true;
  }

  /** Call this once the transaction that wrote the row is committed. */
  add(userNo: number, row: R): void {
    if (this.#count >= KNOWN_MAX) this.#clear();
    const users = this.#usersOf(this.#groupOf(row));
    const before = users.size;
    users.add(userNo);
    this.#count += users.size - before;
  }

  #clear(): void {
    this.#known.clear();
    this.#count = 0;
  }

  #usersOf(group: string): Set<number> {
    let users = this.#known.get(group);
    if (users === undefined) {
      users = new Set();
      this.#known.set(group, users);
    }
    return users;
  }
}

/** Active days that user_activity contains. */
export class KnownDays extends KnownRows<ActivityRow> {
  constructor() {
    super(({ day, metric }) => `${day} ${metric}`);
  }
}

/** Rows that reached_goals contains. */
export class KnownGoals extends KnownRows<ReachedGoalRow> {
  constructor() {
    super(({ challenge, run, goal }) => `${challenge} ${run} ${goal}`);
  }
}
