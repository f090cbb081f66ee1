import type { RedisCommand } from '../../redis/connection/pipeline.ts';
import { membersBeyond } from '../../rules/rankingOrder.ts';

/** Collects members of sorted sets: one command per set, and another one that trims the set to its limit. */
export class SortedSets {
  readonly #adds = new Map<string, RedisCommand>();
  readonly #cuts = new Map<string, RedisCommand>();

  /** @param max number of members of a ranking; the worst ones are removed */
  add(key: string, score: number, member: string, max?: number): void {
    const command = this.#adds.get(key);
    if (command) {
      command.push(score, member);
      return;
    }
    this.#adds.set(key, ['zadd', key, score, member]);
    if (max !== undefined) this.#cuts.set(key, ['zremrangebyrank', key, ...membersBeyond(max)]);
  }

  commands(): RedisCommand[] {
    return [...this.#adds.values(), ...this.#cuts.values()];
  }
}
