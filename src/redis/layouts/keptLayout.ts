import { layout, number, orFalse, text } from './recordLayout.ts';

/** Layouts of the history that Redis keeps of users who are read (lua/includes/keptHistory.lua). */

/**
 * lua/keepHistory.lua: `sequence` of the state to which the history belongs; `erasures` in the cell before
 * the history was read; how long it is kept, seconds.
 */
export const KEPT_USER = layout({
  userId: text,
  sequence: number,
  erasures: text,
  seconds: number,
});
/**
 * A change of the user: instant (ms), local day, and the id of the event or, without one, of the outbox
 * entry; number of the metric and value of the event. The points systems and the places of the report
 * follow, each behind their count.
 */
export const KEPT_CHANGE = layout({
  sequence: number,
  at: number,
  day: number,
  eventId: orFalse(text),
  entryId: orFalse(text),
  metric: orFalse(number),
  value: orFalse(number),
});
