import type { LeaderboardResponse } from '../../../contract/leaderboard.ts';
import { t } from '../../text/translate.ts';

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
  if (own.rank !== null && own.rank <= rank) return t('reached');
  if (maxParticipants !== null && rank > maxParticipants)
    return t('does not exist: the last rank is {maxParticipants}', { maxParticipants });
  if (score === null) return t('any score: the rank is free');
  const isShared = ties === 'shared';
  const bound = boundText(score, isShared, sortOrder === 'asc');
  if (rankBy === 'streak') return t('a streak {bound}', { bound });
  if (aggregation !== 'sum') return t('a value {bound}', { bound });
  const missing = score - (own.value ?? 0);
  return isShared
    ? t('{missing} more: a score {bound}', { missing, bound })
    : t('more than {missing} more: a score {bound}', { missing, bound });
}

function boundText(score: number, isShared: boolean, isLower: boolean): string {
  if (isShared) return isLower ? t('of {score} or less', { score }) : t('of {score} or more', { score });
  return isLower ? t('below {score}', { score }) : t('above {score}', { score });
}
