import type { LeaderboardRanking } from '../../contract/leaderboard.ts';
import { readRunGroups } from '../../db/leaderboards/readRuns.ts';
import type { UserState } from '../../redis/decoding/userState.ts';
import { arrivalOf, groupInRun, type RankedMember } from '../../redis/state/rankingEntries.ts';
import type { Leaderboard } from '../../rules/config.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { hasGroups } from '../../rules/leagueTiers.ts';
import { leastScore, ranksOf, scoreOf } from '../../rules/rankingOrder.ts';
import type { History } from '../availability/historyReads.ts';
import { type GroupRanking, type RankedUser, type RankingStores, readPlaces } from './readRanking.ts';

type Run = Omit<GroupRanking, 'group'>;
type Stores = RankingStores & { history: Pick<History, 'read' | 'final'> };

/** A place in the ranking of the user's group. It counts from 0. */
type Placed = RankedMember & { place: number };

interface Competitor {
  userId: string;
  name: string | null;
  score: number;
  overallRank: number | null;
  /** What decides between equal scores, the lower number first: arrival, if it is known, then the place. */
  arrival: number;
  place: number;
}

/**
 * Ranks users among themselves by their scores in a run, also users without a place on the leaderboard. Users
 * without a score are left out. The score of a user who has gone on to a later run is known from the place.
 */
export async function rankAmong(
  stores: Stores,
  rules: Rules,
  run: Run,
  users: readonly RankedUser[],
): Promise<LeaderboardRanking[]> {
  const { board } = run;
  const places = await placesOf(stores, rules, run, users);
  const competitors = users.flatMap((user) => competitorOf(run, user, places.get(user.userId)));
  competitors.sort((a, b) => b.score - a.score || a.arrival - b.arrival || a.place - b.place);
  const ranks = ranksOf(
    board,
    competitors.map(({ score }) => score),
  );
  return competitors.map(({ userId, name, score, overallRank }, i) => ({
    userId,
    userName: name,
    rank: ranks[i]!,
    value: scoreOf(board, score),
    overallRank,
  }));
}

function competitorOf({ board, start }: Run, ranked: RankedUser, placed: Placed | undefined): Competitor[] {
  const { userId, user } = ranked;
  const state = user.boards.get(board.no);
  const isInRun = state?.run === start;
  const score = placed ? scoreOf(board, placed.value) : isInRun ? state.score : leastScore(board);
  if (score <= leastScore(board)) return [];
  const place = placed?.place ?? Number.MAX_SAFE_INTEGER;
  const ticket = placed ? placed.ticket : isInRun && state.ticket;
  // Users with a place have reached an equal score before those without one.
  const arrival = ticket ? arrivalOf(ticket) : placed ? 0 : Number.MAX_SAFE_INTEGER;
  return [{ userId, name: user.name || null, score, overallRank: placed?.rank ?? null, arrival, place }];
}

/** Whether the user may have a place: not hidden by an administrator, nor blocked, and not opted out. */
export function isShownOn(board: Leaderboard, { boards, block, preferences }: UserState): boolean {
  return block === null && preferences?.isOnLeaderboards !== false && !boards.get(board.no)?.isHidden;
}

/** The places of users in the rankings of their groups, by user. */
async function placesOf(
  stores: Stores,
  rules: Rules,
  run: Run,
  users: readonly RankedUser[],
): Promise<Map<string, Placed>> {
  const past = await pastGroups(stores, rules, run, users);
  const idsOf = new Map<string, Set<string>>();
  for (const { userId, user } of users) {
    const group = past.get(userId) ?? groupInRun(rules, run.board, run.start, user);
    if (group !== null) idsOf.set(group, (idsOf.get(group) ?? new Set()).add(userId));
  }
  const found = new Map<string, Placed>();
  // One after the other, so that events come between the reads.
  for (const [group, ids] of idsOf) {
    const places = await readPlaces(stores, rules.tenant, { ...run, group });
    for (const [place, placed] of places.entries())
      if (ids.has(placed.userId)) found.set(placed.userId, { ...placed, place });
  }
  return found;
}

/** The groups in the run of users who have gone on to a later one, or of all once the run is over. */
async function pastGroups(
  { history }: Stores,
  rules: Rules,
  { board, start, isOver }: Run,
  users: readonly RankedUser[],
): Promise<Map<string, string>> {
  if (!hasGroups(board)) return new Map();
  const past = users.filter(({ user }) => isOver || (user.boards.get(board.no)?.run ?? start) !== start);
  if (past.length === 0) return new Map();
  const userIds = past.map(({ userId }) => userId);
  return history.read(rules.tenant, (rows) =>
    readRunGroups(rows, rules.tenant, { leaderboard: board.no, start }, userIds),
  );
}
