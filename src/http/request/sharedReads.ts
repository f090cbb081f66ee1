/**
 * Identical reads of one turn of the event loop are one read: nothing can happen between them, and a popular leaderboard is
 * asked for by many at once.
 */
export class SharedReads<T> {
  readonly #underWay = new Map<string, Promise<T>>();

  /** The answer of the read `name`, from whoever asked for it first in this turn. */
  share(name: string, read: () => Promise<T>): Promise<T> {
    let answer = this.#underWay.get(name);
    if (answer === undefined) {
      if (this.#underWay.size === 0) setImmediate(() => this.#underWay.clear());
      answer = read();
      this.#underWay.set(name, answer);
    }
    return answer;
  }
}
