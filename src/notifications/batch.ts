import type { HistoryRows } from '../db/historyRows.ts';
import type { OutboxEntry } from '../redis/outbox.ts';
import { unpackStates } from '../redis/storedStates.ts';
import { decodeUserState, type UserState } from '../redis/userState.ts';
import type { Rules } from '../rules/rules.ts';

/** An outbox entry and where it stood. */
export interface PlacedEntry {
  source: { shard: number; id: string };
  entry: OutboxEntry;
}

/** What a batch of entries is made into deliveries with. */
export interface Batch {
  entries: readonly PlacedEntry[];
  /** The history that the entries make, with the states of their users. */
  rows: HistoryRows;
  /** The rules of the tenants that are to be told of anything. */
  rulesOf: ReadonlyMap<number, Rules>;
  users: BatchUsers;
}

/** The users of a batch as they were read after its entries; decoded when somebody asks. */
export class BatchUsers {
  readonly #rows: HistoryRows;
  readonly #tenants: ReadonlyMap<number, unknown>;
  #raw: Map<string, { hot: Buffer; cold: Buffer }> | null = null;
  readonly #decoded = new Map<string, UserState>();

  constructor(rows: HistoryRows, tenants: ReadonlyMap<number, unknown>) {
    this.#rows = rows;
    this.#tenants = tenants;
  }

  /** null when the user has been erased since. */
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
