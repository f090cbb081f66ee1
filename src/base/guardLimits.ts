/* Bounds of held events and of their review. */

/** Events of a user that wait for a review. */
export const HELD_EVENTS_PER_USER_MAX = 100;
/** Held events that a server stores at once: each has a connection to PostgreSQL meanwhile. */
export const HOLDS_AT_ONCE_MAX = 4;
export const HOLDS_WAITING_MAX = 10_000;

/** Events that one call approves or rejects. */
export const HELD_EVENTS_DECIDED_MAX = 100;
export const HELD_EVENTS_PER_READ_MAX = 100;
/** Default and maximum of LAUREL_HELD_EVENTS_DAYS. */
export const HELD_EVENTS_DAYS = 30;
export const HELD_EVENTS_DAYS_MAX = 365;
/** Time after which the row of a held event is deleted, whatever has become of it. */
export const HELD_EVENTS_KEPT_DAYS = 400;
/** Greatest number of waiting events that an answer counts. */
export const HELD_EVENTS_COUNTED_MAX = 1_000;
/** Events that a summary looks at. */
export const HELD_EVENTS_SUMMED_MAX = 10_000;
/** Events that a server approves at once: each has a connection to PostgreSQL meanwhile. */
export const APPROVALS_AT_ONCE_MAX = 3;
export const APPROVALS_WAITING_MAX = 1_000;
/** Time after which a worker finishes an approval whose server may have ended. */
export const APPROVAL_MS_MAX = 60_000;
/** Approvals that one run of a worker finishes. */
export const APPROVALS_PER_RUN_MAX = 1_000;
