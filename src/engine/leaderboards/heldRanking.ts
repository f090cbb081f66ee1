import { monotonicMs } from '../../base/clock.ts';
import type { Scripts } from '../../redis/scripts/scripts.ts';
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

/** The scores of a ranking in all cells of its tenant, as last read. */
export class HeldRanking {
  readonly #scripts: Scripts;
  readonly #keys: readonly RankingInCell[];
  readonly #max: number;
  readonly #cells = new Map<number, Held>();
  #reading: Promise<void> | null = null;
  #beganMs = Number.NEGATIVE_INFINITY;
  #endedMs = Number.NEGATIVE_INFINITY;
  #threshold: number | null | undefined;

  constructor(scripts: Scripts, keys: readonly RankingInCell[], max: number) {
    this.#scripts = scripts;
    this.#keys = keys;
    this.#max = max;
  }

  /** When the scores were read. */
  get readMs(): number {
    return this.#beganMs;
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
    await Promise.all(this.#keys.map((keys) => this.#readCell(keys)));
    this.#beganMs = beganMs;
    this.#endedMs = monotonicMs();
    this.#threshold = undefined;
  }

  async #readCell({ cell, ranking, arrivals }: RankingInCell): Promise<void> {
    const mark = this.#cells.get(cell)?.mark ?? '';
    const found = await this.#scripts.readScores(ranking, arrivals, mark, this.#max);
    if (found === null) return;
    this.#cells.set(cell, { mark: found.mark, scores: new FallingScores(found.scores) });
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
    this.#threshold = undefined;
  }
}
