import { allCells } from '../../src/base/cells.ts';
import type { Log } from '../../src/base/log.ts';
import { compareStores } from '../../src/engine/recovery/compareReceipts.ts';
import type { Stores } from '../../src/engine/stores.ts';
import { readReceipts } from '../../src/redis/state/redisReceipts.ts';
import { type AwayCells, answerOfNode } from './awayCells.ts';

/** Compares the stores before a relay writes: a store that was away may come back as an older copy. */
export class StoreComparison {
  readonly #stores: Stores;
  readonly #away: AwayCells;
  readonly #log: Log;
  readonly #forgetReceipt: () => void;
  #isDue = true;

  /** @param forgetReceipt is called before the stores are compared: Redis may have lost the receipt since */
  constructor(stores: Stores, away: AwayCells, log: Log, forgetReceipt: () => void) {
    this.#stores = stores;
    this.#away = away;
    this.#log = log;
    this.#forgetReceipt = forgetReceipt;
    // A Redis that comes back quickly fails no call.
    stores.redis.on('ready', () => this.fallDue());
  }

  /** Call this after an error, and when cells have returned. */
  fallDue(): void {
    this.#isDue = true;
  }

  /** @throws StoresDifferError if a store is an older copy */
  async runIfDue(): Promise<void> {
    if (!this.#isDue) return;
    this.#forgetReceipt();
    const { redis, cells } = this.#stores;
    const present = allCells(cells).filter((cell) => !this.#away.cells.has(cell));
    const lost = await compareStores(this.#stores, () => {
      const reading = readReceipts(redis, present);
      return redis.isCluster ? answerOfNode(reading) : reading;
    });
    if (lost > 0)
      this.#log.warn({ transactions: lost }, 'Redis has lost its last changes, which PostgreSQL has');
    this.#isDue = false;
  }
}
