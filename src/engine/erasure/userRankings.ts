import { cellOf } from '../../base/cells.ts';
import type { Queryable } from '../../db/pool.ts';
import { listUserRankings } from '../../db/users/erasureRows.ts';
import type { UserKey } from '../../db/users/userMap.ts';
import type { UserState } from '../../redis/decoding/userState.ts';
import { keys } from '../../redis/keys/redisKeys.ts';
import type { LeftRanking } from '../../redis/scripts/scripts.ts';
import { groupOfUser, rankingEntryOf } from '../../redis/state/rankingEntries.ts';
import { keptParticipants } from '../../rules/compile/compileLeaderboards.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import type { Stores } from '../stores/stores.ts';

/**
 * The rankings that a user may be in. The user's state names the present run of each leaderboard; the history
 * names those that the relay has written.
 */
export async function findUserRankings(
  db: Queryable,
  cells: Stores['cells'],
  rules: Rules,
  user: UserKey,
  state: UserState | null,
): Promise<LeftRanking[]> {
  const { tenant, userId } = user;
  const cell = cellOf(tenant, userId, cells);
  const found = new Map<string, LeftRanking>();
  for (const { leaderboard: board, run, group } of await listUserRankings(db, user)) {
    const key = keys.board(tenant, cell, board, run, group);
    found.set(key, { key, board, run, group, max: 0, keep: false, stays: false });
  }
  for (const board of state === null ? [] : rules.config.leaderboards) {
    const run = state!.boards.get(board.no)?.run ?? 0;
    const entry = rankingEntryOf(rules, cells, board, run, userId, state!);
    if (entry === null) continue;
    const { key } = entry;
    const group = groupOfUser(rules, board, state!)!;
    // The groups of a league never fill up.
    const keep = board.league === null && keptParticipants(board);
    found.set(key, { key, board: board.no, run, group, max: board.maxParticipants, keep, stays: false });
  }
  return [...found.values()];
}
