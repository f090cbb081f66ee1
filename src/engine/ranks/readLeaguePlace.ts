import { type LeagueResultRow, readResultBefore } from '../../db/leaderboards/leagueRows.ts';
import { splitGroup } from '../../redis/state/leagueGroups.ts';
import { groupOfUser } from '../../redis/state/rankingEntries.ts';
import { runNumber } from '../../rules/calendar.ts';
import type { Leaderboard } from '../../rules/config.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import type { League } from '../../rules/league.ts';
import {
  findTier,
  movingRanks,
  outcomeOf,
  type ShownTier,
  settingsIn,
  tierAfter,
} from '../../rules/leagueTiers.ts';
import { type GroupRanking, type RankedUser, type RankingStores, readPlaces } from './readRanking.ts';

/** What a league adds to the place of a user in a run. */
export interface LeaguePlace {
  /** Null in a former run without the user. */
  tier: ShownTier | null;
  group: string | null;
  promotes: number | null;
  demotes: number | null;
  previousRun: { tier: { key: string }; rank: number; outcome: LeagueResultRow['outcome'] } | null;
}

/** @param run of a league, with the user's group in it, null without one */
export async function readLeaguePlace(
  stores: RankingStores,
  rules: Rules,
  { board, start, isOver, group }: Omit<GroupRanking, 'group'> & { group: string | null },
  ranked: RankedUser,
): Promise<LeaguePlace> {
  const { tenant } = rules;
  const league = board.league!;
  const userKey = { tenant, userId: ranked.userId };
  const before = await readResultBefore(stores.history.final, userKey, { leaderboard: board.no, start });
  const previousRun = before && { ...before, tier: { key: before.tier } };
  const number = runNumber(board, start)!;
  if (group === null) {
    const tier = isOver ? null : findTier(league, await tierOf(stores, rules, board, number, ranked));
    return { tier, group, promotes: null, demotes: null, previousRun };
  }
  const { tier, number: name } = splitGroup(board, group);
  const { length: size } = await readPlaces(stores, tenant, { board, start, isOver, group });
  const moving = movingRanks(settingsIn(league, number), tier!, size);
  return { tier: findTier(league, tier!), group: name, ...moving, previousRun };
}

/**
 * The tier in which a user without a group would join a run. The ends of runs since the user's last one may
 * not have reached the user's state: it is left as it is if the user stays idle.
 */
async function tierOf(
  stores: RankingStores,
  rules: Rules,
  board: Leaderboard,
  number: number,
  ranked: RankedUser,
): Promise<number> {
  const league = board.league as League;
  const state = ranked.user.leagues.get(board.no);
  if (state === undefined) return settingsIn(league, number).tiers[0]!.no;
  let { tier } = state;
  if (state.run >= number) return tier;
  const { rank, size } = await readFormerRank(stores, rules, board, ranked);
  for (let run = state.run; run < number; run++) {
    const outcome = outcomeOf(settingsIn(league, run), tier, run === state.run ? rank : null, size);
    tier = tierAfter(league, run, tier, outcome).no;
  }
  return tier;
}

/** The rank in the group of the user's last run, and the size of the group. */
async function readFormerRank(
  stores: RankingStores,
  rules: Rules,
  board: Leaderboard,
  { userId, user }: RankedUser,
): Promise<{ rank: number | null; size: number }> {
  const group = groupOfUser(rules, board, user);
  const start = user.boards.get(board.no)?.run;
  if (group === null || start === undefined) return { rank: null, size: 0 };
  const places = await readPlaces(stores, rules.tenant, { board, start, group, isOver: true });
  return { rank: places.find((one) => one.userId === userId)?.rank ?? null, size: places.length };
}
