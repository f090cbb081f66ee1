import type { HistoryRows } from '../db/history/historyRows.ts';
import type { OutboxEntry } from '../redis/scripts/outbox.ts';
import { unpackStates } from '../redis/state/storedStates.ts';
import { decodeUserState, type UserState } from '../redis/state/userState.ts';
import type { Rules } from '../rules/rules.ts';
import type { CoveredSubjects } from './webhooks/coveredSubjects.ts';

/** An outbox entry and its position. */
export interface PlacedEntry {
  source: { cell: number; id: string };
  entry: OutboxEntry;
}

/** The input from which the deliveries of a batch of entries are planned. */
export interface Batch {
  entries: readonly PlacedEntry[];
  /** The history rows of the entries, with the states of their users. */
  rows: HistoryRows;
  /** Rules of the tenants with active webhooks or templates, by tenant. */
  rulesOf: ReadonlyMap<number, Rules>;
  users: BatchUsers;
  covered: CoveredSubjects;
  /** Time of planning, ms. */
  now: number;
}

/** The states of the users of a batch, read after its entries and decoded at the first use. */
export class BatchUsers {
  readonly #rows: HistoryRows;
  readonly #tenants: ReadonlyMap<number, unknown>;
  #raw: Map<string, { hot: Buffer; cold: Buffer }> | null = null;
  readonly #decoded = new Map<string, UserState>();

  constructor(rows: HistoryRows, tenants: ReadonlyMap<number, unknown>) {
    this.#rows = rows;
    this.#tenants = tenants;
  }

  /** The user's state; null if the user has been erased since. */
  find(tenant: number, userId: string): UserState | null {
    const key = `${tenant}:${userId}`;
    let user = this.#decoded.get(key);
    if (user === undefined) {
      const raw = this.#rawStates().get(key);
      if (raw === undefined) return null;
      user = decodeUserState(raw.hot, raw.cold);
      this.#decoded.set(key, user);
    }
    return user;
  }

  #rawStates(): Map<string, { hot: Buffer; cold: Buffer }> {
    if (this.#raw !== null) return this.#raw;
    this.#raw = new Map();
    for (const packed of this.#rows.states) {
      for (const { tenant, userId, hot, cold } of unpackStates(packed)) {
        if (this.#tenants.has(tenant)) this.#raw.set(`${tenant}:${userId}`, { hot, cold });
      }
    }
    return this.#raw;
  }
}
