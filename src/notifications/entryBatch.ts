import type { StatesRow } from '../db/history/historyRows.ts';
import type { OutboxEntry } from '../redis/decoding/outbox.ts';
import { decodeUserState, type UserState } from '../redis/decoding/userState.ts';
import { unpackStates } from '../redis/state/storedStates.ts';

export interface PlacedEntry {
  source: { cell: number; id: string };
  entry: OutboxEntry;
}

/** Outbox entries, and the states of their users, read after the entries. */
export interface EntryBatch {
  entries: readonly PlacedEntry[];
  states: readonly StatesRow[];
}

/** The users of a batch, for some tenants. A state is decoded at the first use. */
export class BatchUsers {
  readonly #states: readonly StatesRow[];
  readonly #tenants: ReadonlyMap<number, unknown>;
  #raw: Map<string, { hot: Buffer; cold: Buffer }> | null = null;
  readonly #decoded = new Map<string, UserState>();

  constructor(states: readonly StatesRow[], tenants: ReadonlyMap<number, unknown>) {
    this.#states = states;
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
    for (const packed of this.#states) {
      for (const { tenant, userId, hot, cold } of unpackStates(packed)) {
        if (this.#tenants.has(tenant)) this.#raw.set(`${tenant}:${userId}`, { hot, cold });
      }
    }
    return this.#raw;
  }
}
