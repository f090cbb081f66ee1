/* Bounds of leagues. */

/** Members of a group. */
export const LEAGUE_GROUP_MIN = 2;
export const LEAGUE_GROUP_MAX = 100;
export const LEAGUE_TIERS_MAX = 20;
/** Tiers that a league has had, the deleted ones included. */
export const LEAGUE_TIERS_EVER_MAX = 100;
/** Settings of a league that are kept. Older ones are those of runs whose users have all been moved. */
export const LEAGUE_SETTINGS_KEPT_MAX = 20;
/** Users whom a worker moves to their next tier with one script call, and users that it reads at once. */
export const LEAGUE_USERS_PER_CALL = 200;
export const LEAGUE_USERS_PER_READ = 5_000;
