/** Bounds of the rewards of leaderboards. */

/** Rewards that a leaderboard can have. */
export const REWARDS_MAX = 20;
/** Points of one reward. */
export const REWARD_POINTS_MAX = 1_000_000_000;
