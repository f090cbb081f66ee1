import { allCells } from '../../src/base/cells.ts';
import type { Log } from '../../src/base/log.ts';
import { compareStores } from '../../src/engine/recovery/compareReceipts.ts';
import type { Stores } from '../../src/engine/stores/stores.ts';
import { readReceipts } from '../../src/redis/scripts/redisReceipts.ts';
import { answerOfNode, type UnreachableCells } from './unreachableCells.ts';

/** Compares the stores before a relay writes: a store may come back as an older copy after an outage. */
export class StoreComparison {
  readonly #stores: Stores;
  readonly #unreachable: UnreachableCells;
  readonly #log: Log;
  readonly #forgetReceipt: () => void;
  #isDue = true;

  /** @param forgetReceipt is called before the stores are compared: Redis may have lost the receipt since */
  constructor(stores: Stores, unreachable: UnreachableCells, log: Log, forgetReceipt: () => void) {
    this.#stores = stores;
    this.#unreachable = unreachable;
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
    const present = allCells(cells).filter((cell) => !this.#unreachable.cells.has(cell));
    const lost = await compareStores(this.#stores, () => {
      const reading = readReceipts(redis, present);
      return redis.isCluster ? answerOfNode(reading) : reading;
    });
    if (lost > 0) this.#log.warn({ transactions: lost }, 'Redis has lost recent changes that PostgreSQL has');
    this.#isDue = false;
  }
}
