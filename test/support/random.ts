/** Repeatable chance: the same seed draws the same values (mulberry32). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 inclusive to 1 exclusive. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 0x1_0000_0000;
  }

  /** Draws of its own, which change nothing here. */
  fork(): Random {
    return new Random(~this.#state);
  }

  /** A whole number, both bounds inclusive. */
  int(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.int(0, list.length - 1)]!;
  }

  /** One of several things to do, each as often as its weight says. */
  weighted<T>(choices: readonly (readonly [weight: number, choice: T])[]): T {
    let left = this.next() * choices.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, choice] of choices) {
      left -= weight;
      if (left < 0) return choice;
    }
    return choices.at(-1)![1];
  }

  /** Each item with the same chance, in the order of the list. */
  some<T>(list: readonly T[], share: number): T[] {
    return list.filter(() => this.chance(share));
  }
}

/**
 * Seed of a test that draws its cases: LAUREL_SEED, or the test's own, so that a run repeats the one before.
 * Prints it.
 * @param name of the test file
 */
export function readSeed(name: string, fallback: number): number {
  const seed = Number(process.env.LAUREL_SEED ?? fallback);
  console.log(`${name}: LAUREL_SEED=${seed}`);
  return seed;
}
