import { layout } from '../state/recordLayout.ts';

/* Layouts of events of the past, as in scriptLayout.ts. */

/**
 * lua/recordLateEvent.lua: the instant of the event (ms), and what the history says of the user at a
 * sequence number: `mending` of the streaks, numbers of leaderboards on which a later event counts. An event
 * that is too old is only answered if its key was used. `erasures`: in the cell, when the event that this one
 * undoes was read.
 */
export const LATE = layout('at', 'sequence', 'mending', 'outdated', 'isTooOld', 'erasures');
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

export const LATE_LAYOUTS = { LATE, MENDING, MENDED } as const;
