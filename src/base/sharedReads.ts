/**
 * Identical reads of one turn of the event loop share one read, because many clients ask for a popular
 * leaderboard at the same time. Not a SingleFlight: a read that begins after a change must not share one that
 * began before the change.
 */
export class SharedReads<T> {
  readonly #underWay = new Map<string, T | Promise<T>>();

  /** Runs `read` unless a read of this name began in this turn of the event loop; then shares its answer. */
  share(name: string, read: () => T | Promise<T>): T | Promise<T> {
    let answer = this.#underWay.get(name);
    if (answer === undefined) {
      if (this.#underWay.size === 0) setImmediate(() => this.#underWay.clear());
      answer = read();
      this.#underWay.set(name, answer);
    }
    return answer;
  }
}
