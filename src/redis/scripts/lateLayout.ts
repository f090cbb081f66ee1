import { layout } from '../state/recordLayout.ts';

/* Layouts of events of the past, as in scriptLayout.ts. */

/**
 * lua/recordLateEvent.lua: the instant of the event (ms), and what the history says of the user at a
 * sequence number: `mending` of the streaks, numbers of leaderboards on which a later event counts. An event
 * that is too old is only answered if its key was used. `undo`: of an event that undoes another one.
 */
export const LATE = layout('at', 'sequence', 'mending', 'outdated', 'isTooOld', 'undo');
/**
 * `erasures`: in the cell, when the undone event was read. What the history says that the undo takes back:
 * lists of PAST_SCORE and, if points are taken back, of GIVEN_POINTS and COUNTER_PEAK; numbers of revoked
 * achievements.
 */
export const UNDO = layout('erasures', 'scores', 'points', 'peaks', 'achievements');
/** The highest value that a counter had without the undone event. */
export const COUNTER_PEAK = layout('counter', 'peak');
/**
 * `mending`: a MENDED or false for each frequency; lengths of the streak in force that its periods have now
 * and had before, greatest of these lengths. What follows is for the relay: lists of PERIOD_ROW, LOSS_ROW and
 * EARNED_ROW.
 */
export const MENDING = layout(
  'streaks',
  'freezes',
  'freezeDay',
  'gained',
  'dropped',
  'longest',
  'removedPeriods',
  'addedPeriods',
  'removedLosses',
  'addedLosses',
  'removedEarned',
  'addedEarned',
);
/** A streak after a late event (STREAK). */
export const MENDED = layout('length', 'firstDay', 'lastPeriod', 'extendedAt', 'lostLength');

export const LATE_LAYOUTS = { LATE, UNDO, COUNTER_PEAK, MENDING, MENDED } as const;
