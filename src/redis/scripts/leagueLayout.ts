import { layout } from '../state/recordLayout.ts';

/** Layouts of leagues that TypeScript and the Lua scripts share (scriptLayout.ts). */

/**
 * The user's tier in a league, in `boards` of the state. It has the size of BOARD_ENTRY. `league` is
 * BOARD.blocked minus the number of the leaderboard.
 */
export const LEAGUE_ENTRY = layout('league', 'run', 'seat', 'tier');
/** lua/moveUsers.lua: each user. */
export const LEAGUE_USER = layout('userId');
/** A run of a league that has begun. Nothing counts in it if the league is over. */
export const LEAGUE_RUN = layout('firstDay', 'number', 'isOver');

/** A field of `{C}:T:lg`: number of a league, and a packed LEAGUE_RUN. */
export const BEGUN_RUN = layout('league', 'run');

export const LEAGUE_LAYOUTS = { BEGUN_RUN, LEAGUE_ENTRY, LEAGUE_USER, LEAGUE_RUN } as const;
