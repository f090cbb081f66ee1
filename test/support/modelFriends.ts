import type { LeaderboardRanking } from '../../src/contract/leaderboard.ts';
import type { Leaderboard } from '../../src/rules/config.ts';
import { type LocalDate, ordinal } from './modelCalendar.ts';
import { isBetter, isRankable, type ModelRankings } from './modelRankings.ts';
import { isAway, type ModelUser } from './modelUser.ts';

interface Friend {
  user: ModelUser;
  value: number;
  overallRank: number | null;
  arrival: number;
}

/**
 * Users ranked among themselves by their values in a run. Of a user in a later run, the value is known if the
 * user has a place in this one. On a leaderboard with groups, all users must be in the run.
 */
export function rankFriends(
  rankings: ModelRankings,
  board: Leaderboard,
  run: LocalDate,
  users: readonly ModelUser[],
): LeaderboardRanking[] {
  const friends = users.flatMap((user) => friendOf(rankings, board, run, user));
  friends.sort((a, b) => {
    if (a.value === b.value) return a.arrival < b.arrival ? -1 : Number(a.arrival > b.arrival);
    return isBetter(board, a.value, b.value) ? -1 : 1;
  });
  return friends.map(({ user, value, overallRank }, i) => {
    const better = friends.filter((other) => isBetter(board, other.value, value)).length;
    const rank = board.ties === 'shared' ? better + 1 : i + 1;
    return { userId: user.id, userName: user.name || null, rank, value, overallRank };
  });
}

function friendOf(rankings: ModelRankings, board: Leaderboard, run: LocalDate, user: ModelUser): Friend[] {
  const known = user.boards.get(board.id);
  const isInRun = known !== undefined && +known.run === +run;
  const hasGroups = board.league !== null || board.breakdownAttributes.length > 0;
  const group = hasGroups ? (known?.group ?? null) : '';
  const name = `${board.no}:${ordinal('daily', run)}:${group}`;
  const place = group === null ? undefined : rankings.ranking(name).find(({ userId }) => userId === user.id);
  const overallRank = place === undefined ? null : rankings.rankOf(name, user.id, board);
  const value = isInRun ? known.value : overallRank === null ? null : place!.value;
  if (isAway(user) || value === null || !isRankable(board, value)) return [];
  return [{ user, value, overallRank, arrival: place?.arrival ?? Infinity }];
}
