/* Bounds of leagues. */

export const LEAGUE_GROUP_MIN = 2;
export const LEAGUE_GROUP_MAX = 100;
export const LEAGUE_TIERS_MAX = 20;
