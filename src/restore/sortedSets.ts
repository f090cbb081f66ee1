import type { RedisCommand } from '../redis/pipeline.ts';

/** Members to be added to sorted sets: one command a set, and one more that cuts it to its limit. */
export class SortedSets {
  readonly #adds = new Map<string, RedisCommand>();
  readonly #cuts = new Map<string, RedisCommand>();

  /** @param max members that the set may have; the lowest leave */
  add(key: string, score: number, member: string, max?: number): void {
    const command = this.#adds.get(key);
    if (command) {
      command.push(score, member);
      return;
    }
    this.#adds.set(key, ['zadd', key, score, member]);
    if (max !== undefined) this.#cuts.set(key, ['zremrangebyrank', key, 0, -max - 1]);
  }

  commands(): RedisCommand[] {
    return [...this.#adds.values(), ...this.#cuts.values()];
  }
}
