import { groupName } from '../../src/redis/decoding/outcome.ts';
import type { Leaderboard } from '../../src/rules/config.ts';
import type { Attributes } from './modelCounting.ts';

/** A place with its rank, as it is shown. */
export interface RankedPlace {
  userId: string;
  value: number;
  rank: number;
}

interface Place {
  userId: string;
  value: number;
  /** The later a user has reached the value, the higher the number. */
  arrival: number;
}

/** Whether one value is better than another one; any value is better than none. */
export function isBetter({ sortOrder }: Leaderboard, value: number, other: number | null): boolean {
  if (other === null) return true;
  return sortOrder === 'asc' ? value < other : value > other;
}

/** Sums of 0 and less have no rank. */
export const isRankable = ({ aggregation }: Leaderboard, value: number): boolean =>
  aggregation !== 'sum' || value > 0;

/** Whether the scores of a leaderboard are whole totals, the best of all events, or lengths of streaks. */
export const isWhole = ({ rankBy, runUnit, end, startTime, endTime }: Leaderboard): boolean =>
  rankBy === 'streak' || (runUnit === null && startTime === null && endTime === null && end === null);

/**
 * The name of the group that a user's attributes put them in; null when one is missing: then they are not
 * ranked.
 */
export function groupOf(board: Leaderboard, attributes: Attributes): string | null {
  const values = board.breakdownAttributes.map((id) => attributes[id]);
  return values.includes(undefined) ? null : groupName(values as string[]);
}

/**
 * All rankings, each a list of all users with a value that has a rank, whether they have a place or not: best
 * first, of equal values the one that was reached first.
 */
export class ModelRankings {
  #rankings = new Map<string, readonly Place[]>();
  #arrivals = 0;
  /** As they were when the present call began, and the users who have entered since, by ranking and user. */
  #before = new Map<string, readonly Place[]>();
  #entered = new Set<string>();
  /** Names of the rankings on which a user has fallen in the present call. */
  #fallen = new Set<string>();
  /** Those that nothing changes any more; they are no rankings any longer. */
  readonly final = new Map<string, readonly RankedPlace[]>();
  /** Names of the rankings changed since somebody emptied this. */
  readonly changed = new Set<string>();

  ranking(name: string): readonly Place[] {
    return this.#rankings.get(name) ?? [];
  }

  /** Names of the rankings that hold anybody. */
  names(): string[] {
    return [...this.#rankings.keys()].filter((name) => this.#rankings.get(name)!.length > 0);
  }

  /** Names of the rankings that hold the user. */
  namesWith(userId: string): string[] {
    return this.names().filter((name) => this.has(name, userId));
  }

  finalize(name: string, board: Leaderboard): void {
    this.final.set(name, this.rankedPlaces(name, board));
    this.#rankings.delete(name);
    this.changed.add(name);
  }

  /** The users who have a place: the first `max`. */
  places(name: string, max: number): readonly Place[] {
    return this.ranking(name).slice(0, max);
  }

  /** The same with their ranks. */
  rankedPlaces(name: string, board: Leaderboard): RankedPlace[] {
    return this.places(name, board.maxParticipants).map(({ userId, value }) => ({
      userId,
      value,
      rank: this.rankOf(name, userId, board)!,
    }));
  }

  has(name: string, userId: string): boolean {
    return this.ranking(name).some((place) => place.userId === userId);
  }

  /** 1 is the top; null for a user without a place. */
  rankOf(name: string, userId: string, board: Leaderboard): number | null {
    return rankAmong(this.ranking(name), userId, board);
  }

  /** A call begins: what happens until the next one takes effect at once. */
  beginCall(): void {
    this.#before = new Map(this.#rankings);
    this.#entered.clear();
    this.#fallen.clear();
  }

  /** The rank before the call of a user whom nothing has moved since; undefined if something has. */
  rankBefore(name: string, userId: string, board: Leaderboard): number | null | undefined {
    if (this.#entered.has(JSON.stringify([name, userId]))) return undefined;
    return rankAmong(this.#before.get(name) ?? [], userId, board);
  }

  /** @returns takes back what happened since, in the same call */
  remember(): () => void {
    const rankings = new Map(this.#rankings);
    const [entered, fallen] = [new Set(this.#entered), new Set(this.#fallen)];
    const arrivals = this.#arrivals;
    return () => {
      this.#rankings = rankings;
      this.#entered = entered;
      this.#fallen = fallen;
      this.#arrivals = arrivals;
    };
  }

  /** A user leaves a ranking, or stays on it with a worse value. */
  fall(name: string): void {
    this.#fallen.add(name);
  }

  /** Whether all places were taken by as much before the call, and nobody has fallen since. */
  isHopeless(name: string, value: number, board: Leaderboard): boolean {
    const last = this.#before.get(name)?.[board.maxParticipants - 1];
    return last !== undefined && !this.#fallen.has(name) && !isBetter(board, value, last.value);
  }

  /** Puts users with equal values in a row into another order. @param reorder answers the same users */
  reorderTies(name: string, reorder: (userIds: readonly string[]) => readonly string[]): void {
    const places = this.ranking(name);
    const values = [...new Set(places.map(({ value }) => value))];
    const reordered = values.flatMap((value) => {
      const tied = places.filter((place) => place.value === value);
      const order = reorder(tied.map(({ userId }) => userId));
      return order.map((userId) => tied.find((place) => place.userId === userId)!);
    });
    this.#set(name, reordered);
  }

  leave(name: string, userId: string): void {
    this.#set(
      name,
      this.ranking(name).filter((place) => place.userId !== userId),
    );
  }

  /** Puts a user on a ranking, behind those who have reached the value before. */
  enter(name: string, userId: string, value: number, board: Leaderboard): void {
    const others = this.ranking(name);
    const behind = others.findIndex((place) => isBetter(board, value, place.value));
    this.#entered.add(JSON.stringify([name, userId]));
    const place = { userId, value, arrival: ++this.#arrivals };
    this.#set(name, others.toSpliced(behind === -1 ? others.length : behind, 0, place));
  }

  /** Gives a user another id in all rankings. */
  rename(userId: string, newId: string): void {
    const renamed = <P extends { userId: string }>(places: readonly P[]): P[] =>
      places.map((place) => (place.userId === userId ? { ...place, userId: newId } : place));
    for (const name of this.namesWith(userId)) this.#set(name, renamed(this.ranking(name)));
    for (const [name, places] of this.final) this.final.set(name, renamed(places));
  }

  /** The user leaves all rankings; the ranks of others in final ones stay. */
  erase(userId: string): void {
    for (const name of this.namesWith(userId)) this.leave(name, userId);
    for (const [name, places] of this.final)
      this.final.set(
        name,
        places.filter((place) => place.userId !== userId),
      );
  }

  #set(name: string, places: readonly Place[]): void {
    this.#rankings.set(name, places);
    this.changed.add(name);
  }

  /** The value of the last place while all are taken, else 0. */
  threshold(name: string, { maxParticipants }: Leaderboard): number {
    return this.ranking(name)[maxParticipants - 1]?.value ?? 0;
  }
}

/** The place of a user counts from 1; if ranks are shared, the rank is 1 more than the number of better users. */
function rankAmong(ranking: readonly Place[], userId: string, board: Leaderboard): number | null {
  const index = ranking.findIndex((place) => place.userId === userId);
  if (index === -1 || index >= board.maxParticipants) return null;
  if (board.ties === 'arrival') return index + 1;
  return 1 + ranking.filter(({ value }) => isBetter(board, value, ranking[index]!.value)).length;
}
