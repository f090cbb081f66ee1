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
  readonly #raw = new Map<string, { hot: Buffer; cold: Buffer }>();
  readonly #decoded = new Map<string, UserState>();

  constructor(rows: HistoryRows, tenants: ReadonlyMap<number, unknown>) {
    for (const packed of rows.states) {
      for (const { tenant, userId, hot, cold } of unpackStates(packed)) {
        if (tenants.has(tenant)) this.#raw.set(`${tenant}:${userId}`, { hot, cold });
      }
    }
  }

  /** null when the user has been erased since. */
  find(tenant: number, userId: string): UserState | null {
    const key = `${tenant}:${userId}`;
    let user = this.#decoded.get(key);
    if (user === undefined) {
      const raw = this.#raw.get(key);
      if (raw === undefined) return null;
      user = decodeUserState(raw.hot, raw.cold);
      this.#decoded.set(key, user);
    }
    return user;
  }
}
