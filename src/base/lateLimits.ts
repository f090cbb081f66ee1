/** Bounds of events with a timestamp. */

/** Default and maximum of the setting `lateEvents.maxAgeSeconds`. */
export const LATE_EVENT_SECONDS = 2 * 86_400;
export const LATE_EVENT_SECONDS_MAX = 30 * 86_400;
/** How far a timestamp may be ahead of the server, whose clock may be behind. */
export const EVENT_AHEAD_MS_MAX = 5 * 60_000;
/** Late events that a server evaluates at once, and those that wait. */
export const LATE_EVENTS_AT_ONCE_MAX = 16;
export const LATE_EVENTS_WAITING_MAX = 20_000;
