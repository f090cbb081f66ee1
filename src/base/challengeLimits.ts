/** Bounds of challenges. */

/** Challenges that a tenant may have. */
export const CHALLENGES_MAX = 200;
/** Active challenges of a tenant. Each of them can be part of every event. */
export const ACTIVE_CHALLENGES_MAX = 50;
/** Goals of a challenge. */
export const GOALS_MAX = 10;
/** Points systems in which a challenge gives points. */
export const REWARDED_SYSTEMS_MAX = 10;
/** Freezes of the streak that a challenge gives. */
export const REWARD_FREEZES_MAX = 100;
/** A boost of a challenge: its factor is below this, and it lasts at most so many hours. */
export const REWARD_BOOST = { below: 1_000, hoursMax: 8_784 } as const;
/** Days in which a completed challenge can be claimed. */
export const CLAIM_DAYS_MAX = 366;
/** Blocks of days that a goal remembers in a run (lua/includes/goalDays.lua), for two years. */
export const GOAL_DAYS = { perBlock: 32, blocks: 24 } as const;
/** Users for whom the console shows which goals they would get. */
export const DRAWN_USERS = 3;
/** Hours before the end of a run at which a template is sent: by default, and at most. */
export const HOURS_BEFORE_END = 4;
export const HOURS_BEFORE_END_MAX = 72;
