import type { UserState } from '../../redis/decoding/userState.ts';
import type { LeftRanking } from '../../redis/scripts/scripts.ts';
import { placesOf } from '../../redis/state/rankingEntries.ts';
import { keptParticipants } from '../../rules/compile/compileLeaderboards.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import type { Stores } from '../stores/stores.ts';

/**
 * The rankings that a user may be in.
 * @param state null if Redis does not have the user
 */
export function rankingsOfUser(
  rules: Rules,
  cells: Stores['cells'],
  userId: string,
  state: UserState | null,
): LeftRanking[] {
  if (state === null) return [];
  return placesOf(rules, cells, userId, state).map(({ board, score, ...place }) => ({
    ...place,
    board: board.no,
    max: board.maxParticipants,
    // The groups of a league never fill up.
    keep: board.league === null && keptParticipants(board),
    stays: false,
  }));
}
