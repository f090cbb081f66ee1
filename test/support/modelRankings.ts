import { groupName } from '../../src/redis/scripts/outcome.ts';
import type { Leaderboard } from '../../src/rules/config.ts';
import type { Attributes } from './modelUser.ts';

interface Place {
  userId: string;
  score: number;
}

/**
 * The name of the group that a user's attributes put them in; null when one is missing: then they are not
 * ranked.
 */
export function groupOf(board: Leaderboard, attributes: Attributes): string | null {
  const values = board.breakdownAttributes.map((id) => attributes[id]);
  return values.includes(undefined) ? null : groupName(values as string[]);
}

/**
 * All rankings, each a list of all users with a score, whether they have a place or not: best first, of equal
 * scores the one that was reached first.
 */
export class ModelRankings {
  readonly #rankings = new Map<string, readonly Place[]>();
  /** As they were when the present call began, and the users who have entered since, by ranking and user. */
  #before = new Map<string, readonly Place[]>();
  readonly #entered = new Set<string>();
  /** Names of the rankings on which a user has fallen in the present call. */
  readonly #fallen = new Set<string>();
  /** Those that nothing changes any more; they are no rankings any longer. */
  readonly final = new Map<string, readonly Place[]>();
  /** Names of the rankings changed since somebody emptied this. */
  readonly changed = new Set<string>();

  ranking(name: string): readonly Place[] {
    return this.#rankings.get(name) ?? [];
  }

  /** Names of the rankings that hold anybody. */
  names(): string[] {
    return [...this.#rankings.keys()].filter((name) => this.#rankings.get(name)!.length > 0);
  }

  finalize(name: string, max: number): void {
    this.final.set(name, this.places(name, max));
    this.#rankings.delete(name);
    this.changed.add(name);
  }

  /** The users who have a place: the first `max`. */
  places(name: string, max: number): readonly Place[] {
    return this.ranking(name).slice(0, max);
  }

  has(name: string, userId: string): boolean {
    return this.ranking(name).some((place) => place.userId === userId);
  }

  /** 1 is the top; null for a user without a place. */
  rankOf(name: string, userId: string, max: number): number | null {
    const index = this.places(name, max).findIndex((place) => place.userId === userId);
    return index === -1 ? null : index + 1;
  }

  /** A call begins: what happens until the next one takes effect at once. */
  beginCall(): void {
    this.#before = new Map(this.#rankings);
    this.#entered.clear();
    this.#fallen.clear();
  }

  /** The rank before the call of a user whom nothing has moved since; undefined if something has. */
  rankBefore(name: string, userId: string, max: number): number | null | undefined {
    if (this.#entered.has(JSON.stringify([name, userId]))) return undefined;
    const index = (this.#before.get(name) ?? []).slice(0, max).findIndex((place) => place.userId === userId);
    return index === -1 ? null : index + 1;
  }

  /** A user leaves a ranking, or stays on it with a lower score. */
  fall(name: string): void {
    this.#fallen.add(name);
  }

  /** Whether all places were taken by as much before the call, and nobody has fallen since. */
  isHopeless(name: string, score: number, max: number): boolean {
    return !this.#fallen.has(name) && score <= (this.#before.get(name)?.[max - 1]?.score ?? 0);
  }

  leave(name: string, userId: string): void {
    this.#set(
      name,
      this.ranking(name).filter((place) => place.userId !== userId),
    );
  }

  /** Puts a user on a ranking, behind those who have reached the score before. */
  enter(name: string, userId: string, score: number): void {
    const others = this.ranking(name);
    const behind = others.findIndex((place) => place.score < score);
    this.#entered.add(JSON.stringify([name, userId]));
    this.#set(name, others.toSpliced(behind === -1 ? others.length : behind, 0, { userId, score }));
  }

  #set(name: string, places: readonly Place[]): void {
    this.#rankings.set(name, places);
    this.changed.add(name);
  }

  /** The score of the last place while all are taken, else 0. */
  threshold(name: string, max: number): number {
    return this.ranking(name)[max - 1]?.score ?? 0;
  }
}
