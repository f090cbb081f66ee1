import { monotonicMs } from '../../base/clock.ts';
import type { Scripts } from '../../redis/scripts/scripts.ts';
import { likelyInCell } from '../../redis/state/mergedMembers.ts';
import { FallingScores } from './fallingScores.ts';

/** Keys of a ranking in one cell. */
export interface RankingInCell {
  cell: number;
  ranking: string;
  arrivals: string;
}

interface Held {
  mark: string;
  scores: FallingScores;
  /** Whether the cell may have more scores than these. */
  isCut: boolean;
}

/** A change of a user's score that has been made in a cell; null if the user had, or has, no rank there. */
export interface ScoreMove {
  from: number | null;
  to: number | null;
}

/** Numbers of users in other cells. */
export interface CountInOthers {
  better: number;
  equal: number;
}

/**
 * The best scores of a ranking in all cells of its tenant, as last read. Of each cell, as many are read as
 * evenly spread users have among the best of all; of a cell that may have more of these, all that have a rank
 * there.
 */
export class HeldRanking {
  readonly #scripts: Scripts;
  readonly #keys: readonly RankingInCell[];
  readonly #max: number;
  readonly #cells = new Map<number, Held>();
  #reading: Promise<void> | null = null;
  #beganMs = Number.NEGATIVE_INFINITY;
  #endedMs = Number.NEGATIVE_INFINITY;
  #threshold: number | null | undefined;
  /** All better scores are known. */
  #completeFrom = Number.NEGATIVE_INFINITY;

  /** @param max number of ranks */
  constructor(scripts: Scripts, keys: readonly RankingInCell[], max: number) {
    this.#scripts = scripts;
    this.#keys = keys;
    this.#max = max;
  }

  /** Instant of the read (ms, monotonic); -Infinity while the user at a rank that became free is unknown. */
  get readMs(): number {
    const isComplete = (this.threshold ?? Number.NEGATIVE_INFINITY) >= this.#completeFrom;
    return isComplete ? this.#beganMs : Number.NEGATIVE_INFINITY;
  }

  /**
   * The threshold, for scripts, which report no changes up to it from now on; null unless all ranks are
   * taken.
   */
  giveFloor(): number | null {
    const { threshold } = this;
    if (threshold !== null) this.#completeFrom = Math.max(this.#completeFrom, threshold);
    return threshold;
  }

  /** Reads the cells that have changed; calls at the same time share one read. */
  refresh(): Promise<void> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  }

  async #read(): Promise<void> {
    const beganMs = monotonicMs();
    const depth = likelyInCell(this.#max, this.#keys.length);
    await Promise.all(this.#keys.map((keys) => this.#readCell(keys, depth)));
    this.#threshold = undefined;
    const { threshold } = this;
    const mayHaveMore = ({ scores, isCut }: Held): boolean =>
      isCut && (threshold === null || scores.last! > threshold);
    const cut = this.#keys.filter(({ cell }) => mayHaveMore(this.#cells.get(cell)!));
    await Promise.all(cut.map((keys) => this.#readCell(keys, this.#max, '')));
    this.#beganMs = beganMs;
    this.#endedMs = monotonicMs();
    this.#threshold = undefined;
    const isCut = Array.from(this.#cells.values()).some((held) => held.isCut);
    this.#completeFrom = (isCut ? this.threshold : null) ?? Number.NEGATIVE_INFINITY;
  }

  async #readCell(
    { cell, ranking, arrivals }: RankingInCell,
    count: number,
    mark = this.#cells.get(cell)?.mark ?? '',
  ): Promise<void> {
    const found = await this.#scripts.readScores(ranking, arrivals, mark, count);
    if (found === null) return;
    const scores = new FallingScores(found.scores);
    this.#cells.set(cell, { mark: found.mark, scores, isCut: scores.size === count && count < this.#max });
  }

  /** Compares a score of one cell with those of the other cells. */
  countInOthers(cell: number, score: number): CountInOthers {
    const counts = { better: 0, equal: 0 };
    for (const [other, { scores }] of this.#cells) {
      if (other === cell) continue;
      const better = scores.countAbove(score);
      counts.better += better;
      counts.equal += scores.countFrom(score) - better;
    }
    return counts;
  }

  /** The score of the last rank; null unless all ranks are taken. */
  get threshold(): number | null {
    const all = Array.from(this.#cells.values(), ({ scores }) => scores);
    if (this.#threshold === undefined) this.#threshold = FallingScores.at(all, this.#max);
    return this.#threshold;
  }

  /**
   * Applies a move that Redis has made, if it was made by a call that was sent after the last read. The cell
   * is read anew with the next read in any case.
   */
  apply(cell: number, { from, to }: ScoreMove, sentMs: number): void {
    const held = this.#cells.get(cell);
    if (held === undefined || sentMs <= this.#beganMs) return;
    held.mark = '';
    if (sentMs < this.#endedMs) return;
    if (from !== null) held.scores.remove(from);
    if (to !== null) held.scores.add(to);
    if (!this.#keepsThreshold(from, to)) this.#threshold = undefined;
  }

  /** Whether a move stays above the threshold, or below it. */
  #keepsThreshold(from: number | null, to: number | null): boolean {
    const threshold = this.#threshold ?? null;
    if (threshold === null) return false;
    if (from !== null && from > threshold) return to !== null && to > threshold;
    return (from === null || from < threshold) && (to === null || to <= threshold);
  }
}
