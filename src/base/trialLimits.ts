/* Bounds of trials: what a rule would have done if it had been in force (docs/trials.md). */

/** Days of the past that a trial covers. */
export const TRIAL_DAYS = 30;
/** Users whose history one statement reads: few, because a server parses the rows between events. */
export const TRIAL_SLICE_USERS_MAX = 100;
/** Length of the rest after each slice, as a multiple of the time that the slice took. */
export const TRIAL_REST = 4;
/** Time after which a call begins no further slice of users. */
export const TRIAL_CALL_MS = 500;
/** Users that an answer names. */
export const TRIAL_EXAMPLES_MAX = 3;
/** Holds the sums of the users examined so far: two for each level of a points system at most. */
export const TRIAL_CURSOR_CHARS_MAX = 100_000;

/** Events of a metric on which a condition is tried. */
export const MATCHED_EVENTS_MAX = 100;
/** Users among whose events they are: those who were active last. */
export const MATCHED_USERS_MAX = 300;
/** Age of the oldest event, in days. */
export const MATCHED_DAYS = 90;
/** Events that an answer shows of those that count, and of the others. */
export const MATCHED_EXAMPLES_MAX = 3;
