import { rankedUsersOf } from '../../redis/state/rankingEntries.ts';
import type { Run } from '../../rules/calendar.ts';
import { keptParticipants } from '../../rules/compile/compileLeaderboards.ts';
import type { Leaderboard } from '../../rules/config.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { leastScore, scoreOf } from '../../rules/rankingOrder.ts';
import type { History } from '../availability/historyReads.ts';
import { findUserGroup, keysOfRanking, type RankedUser, type RankingStores } from './readRanking.ts';

/** A score as rankings sort it, and the rank that comes with it; null without one. */
interface ScoreAndRank {
  score: number;
  rank: number | null;
}

/**
 * Score and rank of a user in an open run: now, and as they would be after `change`, which must not improve
 * the score.
 */
export async function previewRank(
  stores: RankingStores & { history: History },
  rules: Rules,
  { board, run }: { board: Leaderboard; run: Run },
  ranked: RankedUser,
  change: (score: number) => number,
): Promise<{ now: ScoreAndRank; after: ScoreAndRank }> {
  const { start } = run;
  const state = ranked.user.boards.get(board.no);
  const isPresent = state?.run === start;
  // The group of an earlier run is in the history, as that of a run that is over.
  const group = await findUserGroup(stores.history, rules, { board, start, isOver: !isPresent }, ranked);
  const ranking = { board, start, group: group ?? '', isOver: false };
  const keys = keysOfRanking(stores.cells, rules.tenant, ranking);
  const members =
    group === null ? [] : rankedUsersOf(board, await stores.mergedReads.read(keys, keptParticipants(board)));
  const place = members.findIndex(({ userId }) => userId === ranked.userId);
  const own = members[place];
  const score = own ? scoreOf(board, own.value) : isPresent ? state.score : leastScore(board);
  const changed = change(score);
  const now = { score, rank: own && place < board.maxParticipants ? own.rank : null };
  if (!own || changed === score) return { now, after: { ...now, score: changed } };
  const above = members.filter(
    (other) => other !== own && isAbove(board, scoreOf(board, other.value), changed),
  );
  const hasPlace = changed > leastScore(board) && above.length < board.maxParticipants;
  return { now, after: { score: changed, rank: hasPlace ? above.length + 1 : null } };
}

/** Whether a user with this score ranks before one who gets a score now. */
const isAbove = ({ ties }: Leaderboard, other: number, score: number): boolean =>
  other > score || (other === score && ties === 'arrival');
