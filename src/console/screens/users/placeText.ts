import type { LeaderboardResponse } from '../../../contract/leaderboard.ts';
import { formatDate, formatNumber } from '../../text/format.ts';

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

type Ranked = Pick<
  LeaderboardResponse,
  | 'rankBy'
  | 'metricName'
  | 'pointsSystemName'
  | 'aggregation'
  | 'aggregate'
  | 'ties'
  | 'start'
  | 'end'
  | 'runUnit'
  | 'breakdownAttributes'
>;

/** What a rank consists of: the score, the days that count, the group, and the order of equal scores. */
export function rankText(board: Ranked): string {
  const { ties, start, end, runUnit, breakdownAttributes: groups } = board;
  const isRun = runUnit !== null || end !== null;
  const days = isRun ? ` from ${formatDate(start)}${end === null ? '' : ` to ${formatDate(end)}`}` : '';
  const group =
    groups.length === 0 ? '' : ` Users with the same ${groups.join(' and ')} are ranked together.`;
  const order = ties === 'shared' ? 'share a rank' : 'rank by who had theirs first';
  return `The score is ${scoreText(board)}${days}.${group} Equal scores ${order}.`;
}

function scoreText({ rankBy, metricName, pointsSystemName, aggregation, aggregate }: Ranked): string {
  if (rankBy === 'streak') return 'the length of the streak';
  if (rankBy === 'points') return `the ${pointsSystemName} that the user gained`;
  if (aggregation === 'best') return `the best value of ${metricName}`;
  if (aggregation === 'latest') return `the latest value of ${metricName}`;
  return aggregate === undefined
    ? `the sum of ${metricName}`
    : `what the leaderboard counts of ${metricName}`;
}
