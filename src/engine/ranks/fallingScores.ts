/** Scores from the best to the worst, as lua/readScores.lua gives them. */
export class FallingScores {
  readonly #scores: number[];

  constructor(packed: Buffer) {
    this.#scores = Array.from({ length: packed.length / 8 }, (_, i) => packed.readDoubleLE(8 * i));
  }

  get size(): number {
    return this.#scores.length;
  }

  /** The worst of the scores; undefined if there is none. */
  get last(): number | undefined {
    return this.#scores.at(-1);
  }

  /** Number of scores that are at least as good. */
  countFrom(score: number): number {
    return this.#count((other) => other >= score);
  }

  /** Number of better scores. */
  countAbove(score: number): number {
    return this.#count((other) => other > score);
  }

  /** Number of the first scores that fulfil a condition that no later one fulfils. */
  #count(isIncluded: (score: number) => boolean): number {
    let low = 0;
    let high = this.#scores.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isIncluded(this.#scores[middle]!)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  add(score: number): void {
    this.#scores.splice(this.countFrom(score), 0, score);
  }

  remove(score: number): void {
    const last = this.countFrom(score) - 1;
    if (last >= 0 && this.#scores[last] === score) this.#scores.splice(last, 1);
  }

  /** The score at a place of all these scores together, from 1; null if there are fewer. */
  static at(all: readonly FallingScores[], place: number): number | null {
    const size = all.reduce((sum, some) => sum + some.size, 0);
    if (size < place) return null;
    const scores = new Float64Array(size);
    let filled = 0;
    for (const some of all) {
      scores.set(some.#scores, filled);
      filled += some.size;
    }
    // Without a comparator, typed arrays sort natively, rising.
    return scores.sort()[size - place]!;
  }
}
