import type { Redis } from 'ioredis';
import { cellOf } from '../../base/cells.ts';
import type { Ranking } from '../../db/leaderboards/finalRunRows.ts';
import type { Queryable } from '../../db/pool.ts';
import { listUserRankings } from '../../db/users/erasureRows.ts';
import type { UserKey } from '../../db/users/userMap.ts';
import { groupOfUser, rankingEntryOf } from '../../redis/state/rankingEntries.ts';
import { keys } from '../../redis/state/redisKeys.ts';
import type { UserState } from '../../redis/state/userState.ts';
import type { Rules } from '../../rules/rules.ts';
import { markIfVacant, type RankingOfBoard } from '../leaderboards/refills.ts';
import type { Stores } from '../stores.ts';

/** A ranking of a leaderboard, by the number of the leaderboard. */
export type NumberedRanking = Ranking & { board: number };

/** The rankings, by their keys, that a user may be in; of these, the ones of the user's present runs. */
export interface UserRankings {
  byKey: Map<string, NumberedRanking>;
  present: RankingOfBoard[];
}

/**
 * The user's state names the present run of each leaderboard; the history names those that the relay has
 * written.
 */
export async function findUserRankings(
  db: Queryable,
  cells: Stores['cells'],
  rules: Rules,
  user: UserKey,
  state: UserState | null,
): Promise<UserRankings> {
  const { tenant, userId } = user;
  const cell = cellOf(tenant, userId, cells);
  const found: UserRankings = { byKey: new Map(), present: [] };
  for (const { leaderboard: board, run, group } of await listUserRankings(db, user))
    found.byKey.set(keys.board(tenant, cell, board, run, group), { board, run, group });
  if (state === null) return found;
  for (const board of rules.config.leaderboards) {
    const run = state.boards.get(board.no)?.run ?? 0;
    const entry = rankingEntryOf(rules, cells, board, run, userId, state);
    if (entry === null) continue;
    const group = groupOfUser(rules, board, state)!;
    found.byKey.set(entry.key, { board: board.no, run, group });
    found.present.push({ board, run, group });
  }
  return found;
}

/** Marks the rankings that a user has left in a cell: users outside of them may be as good as their worst. */
export async function markVacated(
  redis: Redis,
  tenant: number,
  cell: number,
  { present }: UserRankings,
): Promise<void> {
  for (const ranking of present) {
    if (ranking.board.league === null) await markIfVacant(redis, tenant, ranking, cell);
  }
}
