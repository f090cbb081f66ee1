/** Users of which a sample tells how many qualify. */
export const QUALIFYING_SAMPLE_USERS_MAX = 500;
/** Streaks at risk that one answer lists. */
export const STREAKS_AT_RISK_MAX = 1_000;
/** Shortest streak whose end is worth a look; an index finds them (streak_standings_at_risk). */
export const LONG_STREAK_PERIODS_MIN = 7;
/** Events near the loss of a streak that one answer lists. */
export const STREAK_LOSS_EVENTS_MAX = 30;
/** Bounds of filters of the list of users. */
export const INACTIVE_DAYS_MAX = 10_000;
export const STREAK_LENGTH_MAX = 100_000;
/** Deliveries of a webhook that tell how many succeed. */
export const WEBHOOK_SUCCESS_DELIVERIES_MAX = 1_000;
/** Users near an achievement that one answer names. */
export const NEAR_USERS_MAX = 20;
/** Days up to today whose changes of ranks tell how much moves on a leaderboard. */
export const LEADERBOARD_MOVES_DAYS = 7;
/** The newest messages of a template, whose users are counted by variant. */
export const VARIANT_MESSAGES_MAX = 20_000;
