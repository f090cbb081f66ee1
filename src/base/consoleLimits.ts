/** Bounds of what the console asks for. */

/** Users of which a sample tells how many qualify. */
export const QUALIFYING_SAMPLE_USERS_MAX = 500;
