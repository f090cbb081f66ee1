import { LOSS_ROW } from './historyRowLayout.ts';
import { PERIOD_ROW } from './lateLayout.ts';
import { flag, layout, list, number, orFalse, record, records, text } from './recordLayout.ts';
import { COVERED } from './reportLayout.ts';

/** Layouts of the scripts of imports. */

/** `no`: of the counter of the metric `entity`, or again of the points system. */
export const IMPORTED_TOTAL = layout({ entity: number, no: number, value: number });
export const IMPORTED_COMPLETION = layout({ achievement: number, completedAt: number });
/** How many runs of a challenge were completed elsewhere. */
export const IMPORTED_CHALLENGE = layout({ challenge: number, completions: number });
/** `zone`: that of `lastDay` and `extendedAt`, in which the user is believed to be. */
export const IMPORTED_STREAK = layout({
  length: number,
  firstDay: number,
  lastPeriod: number,
  extendedAt: number,
  longest: number,
  lastDay: number,
  zone: text,
});
/**
 * What the history has of the streak that an import has set before, as of a sequence number of the user:
 * lists of PERIOD_ROW and LOSS_ROW. `longest`: the greatest length of the other periods. `freezesMax`: most
 * freezes that a user can have, also while streaks are switched off.
 */
export const REPLACED_STREAK = layout({
  sequence: number,
  periods: records(PERIOD_ROW),
  losses: records(LOSS_ROW),
  longest: number,
  freezesMax: number,
});
/**
 * lua/importUsers.lua, for each user. `metrics` and `points` are flat lists of IMPORTED_TOTAL, `achievements`
 * is one of IMPORTED_COMPLETION, `challenges` of IMPORTED_CHALLENGE.
 */
export const IMPORTED_USER = layout({
  userId: text,
  control: flag,
  profile: orFalse(text),
  profileHash: number,
  created: orFalse(number),
  metrics: records(IMPORTED_TOTAL),
  points: records(IMPORTED_TOTAL),
  achievements: records(IMPORTED_COMPLETION),
  challenges: records(IMPORTED_CHALLENGE),
  streak: orFalse(record(IMPORTED_STREAK)),
  freezes: orFalse(number),
  preferences: orFalse(text),
  messagesFrom: orFalse(number),
  replaced: orFalse(record(REPLACED_STREAK)),
});
/** Outbox record of lua/importUsers.lua: what an import changed, and the total after it. */
export const IMPORTED_CHANGE = layout({ entity: number, no: number, change: number, total: number });
/**
 * Details of lua/importUsers.lua for each user: flat lists, and whether the streak is the imported one.
 * `covered`: the periods that the streak has missed since, and that were made good.
 */
export const IMPORT_DETAIL = layout({
  metrics: orFalse(records(IMPORTED_CHANGE)),
  points: orFalse(records(IMPORTED_CHANGE)),
  achievements: orFalse(records(IMPORTED_COMPLETION)),
  hasStreak: flag,
  covered: orFalse(records(COVERED)),
});
/** lua/importEvents.lua, for each user. */
export const PAST_USER = layout({ userId: text, before: number, count: number, isLast: flag });
/** lua/importEvents.lua, for each event. */
export const PAST_INSTANT = layout({ at: number });
/**
 * lua/importEvents.lua, for each event of a user with a key that others have: its position in the call from
 * 0, the number of the key among those of the user, and when the key can be used again if this event uses it,
 * ms.
 */
export const PAST_KEY = layout({ event: number, key: number, freeAt: number });
/** Index of the calendars of lua/importEvents.lua: seconds since 1970, and positions from 1. */
export const PAST_CALENDAR = layout({ zone: text, from: number, till: number, first: number, last: number });
/** Reply of lua/importEvents.lua for each user. */
export const PAST_REPLY = layout({
  status: number,
  done: number,
  refused: list<number>(),
  refusals: list(),
  zone: text,
  seconds: number,
});
