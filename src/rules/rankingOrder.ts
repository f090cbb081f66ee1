import type { Leaderboard } from './config.ts';
import type { ScriptOrder } from './scriptRules.ts';

/*
 * The order of a ranking. A leaderboard shows values. Its rankings sort by scores, of which the higher one is
 * always better: the value itself, or its negative if lower values are better. Redis sorts members by rising
 * score, so the best member is the last one. Scripts have the order from lua/includes/rankingOrder.lua,
 * statements from RANKED_VALUE in src/db/sql.ts and from the view leaderboard_rankings.
 */

type Ordered = Pick<Leaderboard, 'sortOrder' | 'aggregation' | 'ties'>;

export const DEFAULT_ORDER = {
  sortOrder: 'desc',
  aggregation: 'sum',
  ties: 'arrival',
} as const satisfies Ordered;

/** The fields of the order that differ from the default. */
export function givenOrder({ sortOrder, aggregation, ties }: Ordered): Partial<Ordered> {
  return {
    ...(sortOrder !== DEFAULT_ORDER.sortOrder && { sortOrder }),
    ...(aggregation !== DEFAULT_ORDER.aggregation && { aggregation }),
    ...(ties !== DEFAULT_ORDER.ties && { ties }),
  };
}

/** The score of a user without a value on the leaderboard. Only a higher score has a rank. */
export const leastScore = ({ aggregation }: Ordered): number =>
  aggregation === 'sum' ? 0 : Number.NEGATIVE_INFINITY;

/** A negative 0 becomes 0. */
export const scoreOf = ({ sortOrder }: Ordered, value: number): number =>
  sortOrder === 'asc' ? 0 - value : value + 0;

/** The value of a score; null for the score of a user without a value. */
export const shownValue = (board: Ordered, score: number): number | null =>
  score === Number.NEGATIVE_INFINITY ? null : scoreOf(board, score);

/** null if values are scores, those above 0 have a rank, and equal ones rank by arrival. */
export function orderOf(board: Ordered): ScriptOrder | null {
  if (Object.keys(givenOrder(board)).length === 0) return null;
  const { sortOrder, ties } = board;
  return { sign: sortOrder === 'asc' ? -1 : 1, least: leastScore(board), isShared: ties === 'shared' };
}

/**
 * The ranks of members in consecutive places, the best first.
 * @param first place and rank of the first one
 */
export function ranksOf(
  { ties }: Ordered,
  scores: readonly number[],
  first: { place: number; rank: number } = { place: 1, rank: 1 },
): number[] {
  let { rank } = first;
  return scores.map((score, i) => {
    if (i > 0 && (ties === 'arrival' || score !== scores[i - 1])) rank = first.place + i;
    return rank;
  });
}

/**
 * Whether the score of events before the activation comes from the history. Leaderboards with runs, an end or
 * a daily window count no earlier events, and the others rank totals.
 */
export const isFilledFromHistory = (board: Leaderboard): boolean =>
  board.aggregation !== 'sum' && isWhole(board);

/** The score of a user on a leaderboard (its number) by the history. */
export interface PastScore {
  board: number;
  score: number;
}

/**
 * Whether the leaderboard counts everything: it has neither runs, nor an end, nor a daily window. One of
 * streaks ranks their lengths in any case.
 */
export const isWhole = ({ rankBy, runUnit, startTime, endTime, end }: Leaderboard): boolean =>
  rankBy === 'streak' || (runUnit === null && startTime === null && endTime === null && end === null);

/** Arguments of ZRANGE after the key: the first `count` members with their scores, the best first. */
export function firstMembers(count: number): [number, string, 'REV', 'WITHSCORES'] {
  return [0, String(count - 1), 'REV', 'WITHSCORES'];
}

/** Arguments of ZREMRANGEBYRANK after the key: all members except the best `count`. */
export function membersBeyond(count: number): [number, number] {
  return [0, -count - 1];
}

/** Arguments of ZCOUNT after the key: the members with this score or a better one. */
export function membersFrom(score: number): [number, '+inf'] {
  return [score, '+inf'];
}
