import { layout } from '../state/recordLayout.ts';

/** Layouts of the scripts of imports, as scriptLayout.ts describes. */

/**
 * lua/importUsers.lua, for each user. `metrics` and `points` are flat lists of IMPORTED_TOTAL, `achievements`
 * is one of IMPORTED_COMPLETION.
 */
export const IMPORTED_USER = layout(
  'userId',
  'control',
  'profile',
  'profileHash',
  'created',
  'metrics',
  'points',
  'achievements',
  'streak',
  'freezes',
  'preferences',
  'messagesFrom',
);
/** `no`: of the counter of the metric `entity`, or again of the points system. */
export const IMPORTED_TOTAL = layout('entity', 'no', 'value');
export const IMPORTED_COMPLETION = layout('achievement', 'completedAt');
export const IMPORTED_STREAK = layout('length', 'firstDay', 'lastPeriod', 'extendedAt', 'longest');
/** Outbox record of lua/importUsers.lua: what an import changed, and the total after it. */
export const IMPORTED_CHANGE = layout('entity', 'no', 'change', 'total');
/** Details of lua/importUsers.lua for each user: flat lists, and whether the streak is the imported one. */
export const IMPORT_DETAIL = layout('metrics', 'points', 'achievements', 'hasStreak');

/** lua/importEvents.lua, for each user. */
export const PAST_USER = layout('userId', 'before', 'count', 'isLast');
/** lua/importEvents.lua, for each event. */
export const PAST_INSTANT = layout('at');
/**
 * lua/importEvents.lua, for each event of a user with a key that others have: its position in the call from
 * 0, the number of the key among those of the user, and when the key can be used again if this event uses it,
 * ms.
 */
export const PAST_KEY = layout('event', 'key', 'freeAt');
/** Index of the calendars of lua/importEvents.lua: seconds since 1970, and positions from 1. */
export const PAST_CALENDAR = layout('zone', 'from', 'till', 'first', 'last');
/** Reply of lua/importEvents.lua for each user. */
export const PAST_REPLY = layout('status', 'done', 'refused', 'refusals', 'zone', 'seconds');

/** State of an imported user: number of the import, and the token of lua/importEvents.lua. */
export const PAST_TOKEN = layout('import', 'token');

/** How far a user of lua/importEvents.lua is, or why the user is not imported. */
export const IMPORT_STATUS = {
  done: 1,
  more: 2,
  calendar: 3,
  live: 4,
  changed: 5,
  erasing: 6,
  blocked: 7,
  held: 8,
} as const;

/** How long an imported user gets no messages, unless the file says otherwise. */
export const IMPORT_SILENCE = { ms: 24 * 3_600_000 } as const;

/** How long a user whose past is being imported waits for the next call (lua/includes/importHold.lua). */
export const IMPORT_HOLD = { seconds: 600 } as const;

export const IMPORT_LAYOUTS = {
  IMPORTED_USER,
  IMPORTED_TOTAL,
  IMPORTED_COMPLETION,
  IMPORTED_STREAK,
  IMPORTED_CHANGE,
  IMPORT_DETAIL,
  PAST_USER,
  PAST_INSTANT,
  PAST_KEY,
  PAST_CALENDAR,
  PAST_REPLY,
  PAST_TOKEN,
} as const;
