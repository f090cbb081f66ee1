import type { Redis } from 'ioredis';
import { allCells, type Cells } from '../../src/base/cells.ts';
import { monotonicMs } from '../../src/base/clock.ts';
import type { Log } from '../../src/base/log.ts';
import { withTimeout } from '../../src/base/withTimeout.ts';
import { isRedisOutage } from '../../src/redis/connection/redisAvailability.ts';
import { keys } from '../../src/redis/keys/redisKeys.ts';

/** Longest wait for a node of a cluster before its cells are left out. */
const ANSWER_MS_MAX = 1_000;
const CHECK_EVERY_MS = 500;

class SilentNodeError extends Error {}

/**
 * The answer of a node of a cluster.
 * @throws SilentNodeError if it takes too long; the command may still be executed
 */
export function answerOfNode<T>(answer: Promise<T>): Promise<T> {
  return withTimeout(answer, ANSWER_MS_MAX, () => new SilentNodeError('a Redis node did not answer'));
}

/**
 * The cells that a relay leaves out because their node of a cluster is unreachable. The cells of the other
 * nodes are still relayed.
 */
export class UnreachableCells {
  readonly #redis: Redis;
  readonly #all: readonly number[];
  readonly #log: Log;
  #unreachable: ReadonlySet<number> = new Set();
  #nextCheckMs = 0;
  #isChecking = false;
  #haveReturned = false;

  constructor(redis: Redis, cells: Cells, log: Log) {
    this.#redis = redis;
    this.#all = allCells(cells);
    this.#log = log;
  }

  get cells(): ReadonlySet<number> {
    return this.#unreachable;
  }

  /**
   * Call this after an error.
   * @returns whether there are other cells to be left out now, and still some to read
   */
  async hasGrown(error: unknown): Promise<boolean> {
    if (!this.#redis.isCluster || !(isRedisOutage(error) || error instanceof SilentNodeError)) return false;
    const found = await this.#find();
    if (found.size === this.#all.length || [...found].every((cell) => this.#unreachable.has(cell)))
      return false;
    if (this.#unreachable.size === 0) {
      const { message } = error as Error;
      this.#log.error(
        { error: message, cells: found.size },
        'the relay skips cells whose Redis node is unreachable',
      );
    }
    this.#unreachable = found;
    return true;
  }

  /**
   * Call this often: unreachable cells are checked in the background.
   * @returns whether some have returned since the last call
   */
  haveReturned(): boolean {
    if (this.#unreachable.size > 0 && !this.#isChecking && monotonicMs() >= this.#nextCheckMs)
      void this.#check();
    const haveReturned = this.#haveReturned;
    this.#haveReturned = false;
    return haveReturned;
  }

  async #check(): Promise<void> {
    this.#isChecking = true;
    const found = await this.#find();
    this.#isChecking = false;
    this.#nextCheckMs = monotonicMs() + CHECK_EVERY_MS;
    const still = [...this.#unreachable].filter((cell) => found.has(cell));
    if (still.length === this.#unreachable.size) return;
    this.#unreachable = new Set(still);
    if (still.length === 0) this.#log.info('the relay reads all cells again');
    this.#haveReturned = true;
  }

  async #find(): Promise<Set<number>> {
    const answers = await Promise.allSettled(
      this.#all.map((cell) => answerOfNode(this.#redis.xlen(keys.outbox(cell)))),
    );
    return new Set(this.#all.filter((_, i) => answers[i]!.status === 'rejected'));
  }
}
