/** Bounds of what the console asks for. */

/** Users of which a sample tells how many qualify. */
export const QUALIFYING_SAMPLE_USERS_MAX = 500;
/** Streaks at risk that one answer lists. */
export const STREAKS_AT_RISK_MAX = 1_000;
