/* Bounds of held events and of their review. */

export const HELD_EVENTS_DECIDED_MAX = 100;
export const HELD_EVENTS_PER_READ_MAX = 100;
/** Greatest number of waiting events that an answer counts. */
export const HELD_EVENTS_COUNTED_MAX = 1_000;
/** Events that a summary looks at. */
export const HELD_EVENTS_SUMMED_MAX = 10_000;
