import type { LeaderboardResponse } from '../../../contract/leaderboard.ts';
import { formatDate } from '../../text/format.ts';
import { allOf, t } from '../../text/translate.ts';

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
  const { ties, breakdownAttributes: groups } = board;
  return [
    t('The score is {score}.', { score: scoreText(board) }),
    ...daysText(board),
    ...(groups.length === 0
      ? []
      : [t('Users with the same {groups} are ranked together.', { groups: allOf(groups) })]),
    ties === 'shared' ? t('Equal scores share a rank.') : t('Equal scores rank by who had theirs first.'),
  ].join(' ');
}

/** The days that count; none for a leaderboard without an end. */
function daysText({ start, end, runUnit }: Ranked): string[] {
  const from = formatDate(start);
  if (end !== null) return [t('It counts from {from} to {end}.', { from, end: formatDate(end) })];
  return runUnit === null ? [] : [t('It counts from {from}.', { from })];
}

function scoreText({ rankBy, metricName, pointsSystemName, aggregation, aggregate }: Ranked): string {
  if (rankBy === 'streak') return t('the length of the streak');
  if (rankBy === 'points') return t('the {name} that the user gained', { name: pointsSystemName });
  if (aggregation === 'best') return t('the best value of {name}', { name: metricName });
  if (aggregation === 'latest') return t('the latest value of {name}', { name: metricName });
  return aggregate === undefined
    ? t('the sum of {name}', { name: metricName })
    : t('what the leaderboard counts of {name}', { name: metricName });
}
