import type { Redis } from 'ioredis';
import type { Cells } from '../../src/base/cells.ts';
import { monotonicMs } from '../../src/base/clock.ts';
import { RulesStore } from '../../src/engine/calls/rulesStore.ts';
import { EventRanks } from '../../src/engine/ranks/eventRanks.ts';
import type { OutboxEntry } from '../../src/redis/decoding/outbox.ts';
import { Scripts } from '../../src/redis/scripts/scripts.ts';
import type { Rules } from '../../src/rules/inForce/rules.ts';
import type { DecodedEntry } from './toHistory.ts';

/**
 * Replaces the ranks in outbox entries, which are those in one cell, by ranks among all users of the tenant.
 * The scores of other cells are read for each batch, so what was recorded before a change counts.
 */
export class RelayRanks {
  readonly #rulesStore: RulesStore;
  readonly #ranks: EventRanks;
  readonly #isSpread: boolean;
  /** Entries whose ranks are replaced: a batch may be written again. */
  readonly #merged = new WeakSet<OutboxEntry>();

  constructor(redis: Redis, cells: Cells) {
    this.#rulesStore = new RulesStore(redis, cells);
    this.#ranks = new EventRanks(new Scripts(redis, cells), cells);
    this.#isSpread = cells.spread > 1;
  }

  async merge(entries: readonly DecodedEntry[]): Promise<void> {
    if (!this.#isSpread) return;
    const sinceMs = monotonicMs();
    const rulesOf = new Map<number, Rules | null>();
    for (const { entry, source } of entries) {
      const boards = entry.changes.flatMap(({ outcome }) => outcome.boards);
      if (boards.length === 0 || this.#merged.has(entry)) continue;
      let rules = rulesOf.get(entry.tenant);
      if (rules === undefined) {
        rules = await this.#findRules(entry.tenant);
        rulesOf.set(entry.tenant, rules);
      }
      if (rules !== null) await this.#ranks.merge({ rules, cell: source.cell }, boards, sinceMs);
      this.#merged.add(entry);
    }
  }

  /** Null if no rules are published. */
  async #findRules(tenant: number): Promise<Rules | null> {
    const known = this.#rulesStore.get(tenant);
    if (known === undefined) return this.#rulesStore.find(tenant);
    return (await this.#rulesStore.loadNewer(known)) ?? known;
  }
}
