import type { LeaderboardResponse } from '../../../contract/leaderboard.ts';
import { formatNumber } from '../../text/format.ts';

/** A user and a rank of a leaderboard. */
interface Goal {
  /** The rank that is asked for. */
  rank: number;
  /** Score at this rank; null if nobody has it. */
  score: number | null;
  /** Rank and score of the user; null without one. */
  own: { rank: number | null; value: number | null };
}

type Scoring = Pick<LeaderboardResponse, 'rankBy' | 'sortOrder' | 'aggregation' | 'ties' | 'maxParticipants'>;

/** What a user needs to reach a rank: "more than 3 more: a score above 6". */
export function needText(board: Scoring, goal: Goal): string {
  const { rankBy, sortOrder, aggregation = 'sum', ties, maxParticipants } = board;
  const { rank, score, own } = goal;
  if (own.rank !== null && own.rank <= rank) return 'reached';
  if (maxParticipants !== null && rank > maxParticipants)
    return `does not exist: the last rank is ${formatNumber(maxParticipants)}`;
  if (score === null) return 'any score: the rank is free';
  const shown = formatNumber(score);
  const [isShared, isLower] = [ties === 'shared', sortOrder === 'asc'];
  const bound = isShared
    ? `of ${shown} or ${isLower ? 'less' : 'more'}`
    : `${isLower ? 'below' : 'above'} ${shown}`;
  if (rankBy === 'streak') return `a streak ${bound}`;
  if (aggregation !== 'sum') return `a value ${bound}`;
  const missing = formatNumber(score - (own.value ?? 0));
  return `${isShared ? '' : 'more than '}${missing} more: a score ${bound}`;
}
