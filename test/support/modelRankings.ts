import { groupName } from '../../src/redis/outcome.ts';
import type { Leaderboard } from '../../src/rules/config.ts';
import type { Attributes } from './modelUser.ts';

interface Place {
  userId: string;
  score: number;
  /** Order in which the score was reached. */
  arrival: number;
}

/** The name of the group that a user's attributes put them in; null when one is missing: then they are not ranked. */
export function groupOf(board: Leaderboard, attributes: Attributes): string | null {
  const values = board.breakdownAttributes.map((id) => attributes[id]);
  return values.includes(undefined) ? null : groupName(values as string[]);
}

/** All rankings, each a list that is sorted when somebody looks. */
export class ModelRankings {
  readonly #rankings = new Map<string, Place[]>();
  /** Names of the rankings changed since somebody emptied this. */
  readonly changed = new Set<string>();
  #arrivals = 0;

  /** Best first; of equal scores the one that was reached first. */
  ranking(name: string): Place[] {
    return (this.#rankings.get(name) ?? []).toSorted((a, b) => b.score - a.score || a.arrival - b.arrival);
  }

  /** Names of the rankings that hold anybody. */
  names(): string[] {
    return [...this.#rankings.keys()].filter((name) => this.#rankings.get(name)!.length > 0);
  }

  /** 1 is the top; null for a user who is not on it. */
  rankOf(name: string, userId: string): number | null {
    const index = this.ranking(name).findIndex((place) => place.userId === userId);
    return index === -1 ? null : index + 1;
  }

  leave(name: string, userId: string): void {
    const places = this.#rankings.get(name) ?? [];
    this.#set(
      name,
      places.filter((place) => place.userId !== userId),
    );
  }

  /**
   * Puts a user on a ranking, whom `mayStay` lets keep a place that was theirs. On a full one a newcomer must have more
   * than the lowest, who leaves: of equal ones the last to arrive.
   */
  enter(name: string, userId: string, score: number, max: number, mayStay: boolean): void {
    const places = this.ranking(name);
    if (!mayStay && places.length >= max) {
      const lowest = places.at(-1)!;
      if (score <= lowest.score) return;
      this.leave(name, lowest.userId);
    }
    const others = this.#rankings.get(name) ?? [];
    this.#set(name, [...others, { userId, score, arrival: ++this.#arrivals }]);
  }

  #set(name: string, places: Place[]): void {
    this.#rankings.set(name, places);
    this.changed.add(name);
  }

  /** The lowest score while the ranking is full, else 0. */
  threshold(name: string, max: number): number {
    const places = this.ranking(name);
    return places.length >= max ? places.at(-1)!.score : 0;
  }
}
