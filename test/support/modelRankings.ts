import { groupName } from '../../src/redis/outcome.ts';
import type { Leaderboard } from '../../src/rules/config.ts';
import type { Attributes } from './modelUser.ts';

interface Place {
  userId: string;
  score: number;
}

/** The name of the group that a user's attributes put them in; null when one is missing: then they are not ranked. */
export function groupOf(board: Leaderboard, attributes: Attributes): string | null {
  const values = board.breakdownAttributes.map((id) => attributes[id]);
  return values.includes(undefined) ? null : groupName(values as string[]);
}

/** All rankings, each a list: best first, of equal scores the one that was reached first. */
export class ModelRankings {
  readonly #rankings = new Map<string, readonly Place[]>();
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

  finalize(name: string): void {
    this.final.set(name, this.ranking(name));
    this.#rankings.delete(name);
    this.changed.add(name);
  }

  /** 1 is the top; null for a user who is not on it. */
  rankOf(name: string, userId: string): number | null {
    const index = this.ranking(name).findIndex((place) => place.userId === userId);
    return index === -1 ? null : index + 1;
  }

  leave(name: string, userId: string): void {
    this.#set(
      name,
      this.ranking(name).filter((place) => place.userId !== userId),
    );
  }

  /**
   * Puts a user on a ranking, whom `mayStay` lets keep a place that was theirs. On a full one a newcomer must have more
   * than the lowest, who leaves: of equal ones the last to arrive.
   */
  enter(name: string, userId: string, score: number, max: number, mayStay: boolean): void {
    const all = this.ranking(name);
    if (!mayStay && all.length >= max) {
      const lowest = all.at(-1)!;
      if (score <= lowest.score) return;
      this.leave(name, lowest.userId);
    }
    const others = this.ranking(name);
    const behind = others.findIndex((place) => place.score < score);
    this.#set(name, others.toSpliced(behind === -1 ? others.length : behind, 0, { userId, score }));
  }

  #set(name: string, places: readonly Place[]): void {
    this.#rankings.set(name, places);
    this.changed.add(name);
  }

  /** The lowest score while the ranking is full, else 0. */
  threshold(name: string, max: number): number {
    const places = this.ranking(name);
    return places.length >= max ? places.at(-1)!.score : 0;
  }
}
