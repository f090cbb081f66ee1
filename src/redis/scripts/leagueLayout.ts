import { layout } from '../state/recordLayout.ts';

/** Layouts of leagues that TypeScript and the Lua scripts share (scriptLayout.ts). */

/**
 * The user's tier in a league, in `boards` of the state. It has the size of BOARD_ENTRY. `league` is
 * BOARD.blocked minus the number of the leaderboard.
 */
export const LEAGUE_ENTRY = layout('league', 'run', 'seat', 'tier');
/** lua/moveUsers.lua: each user, and the run into which they move. */
export const LEAGUE_USER = layout('userId');
export const LEAGUE_RUN = layout('firstDay', 'number');

export const LEAGUE_LAYOUTS = { LEAGUE_ENTRY, LEAGUE_USER, LEAGUE_RUN } as const;
