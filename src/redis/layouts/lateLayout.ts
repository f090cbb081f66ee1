import { COUNTER_ADDEND, GIVEN_POINTS, PAST_SCORE } from './argumentLayout.ts';
import { EARNED_ROW, LOSS_ROW } from './historyRowLayout.ts';
import type { Flat, RecordOf } from './recordLayout.ts';
import { flag, layout, list, number, orFalse, record, records, text } from './recordLayout.ts';

/** Layouts of events of the past. */

/** The highest value that a counter had without the undone event. */
export const COUNTER_PEAK = layout({ counter: number, peak: number });
/**
 * `erasures`: in the cell, when the undone event was read. What the history says that the undo takes back:
 * lists of PAST_SCORE, of COUNTER_ADDEND and, if points are taken back, of GIVEN_POINTS and COUNTER_PEAK;
 * numbers of revoked achievements.
 */
export const UNDO = layout({
  erasures: text,
  scores: records(PAST_SCORE),
  points: records(GIVEN_POINTS),
  peaks: records(COUNTER_PEAK),
  addends: records(COUNTER_ADDEND),
  achievements: list<number>(),
});
/**
 * What a counter has in a period that the user's state has forgotten: its total, and whether the day or the
 * value of the event is part of it.
 */
export const MARK_PAST = layout({ counter: number, total: number, has: flag });
/** A streak after a late event (STREAK). */
export const REPAIRED = layout({
  length: number,
  firstDay: number,
  lastPeriod: number,
  extendedAt: number,
  lostLength: number,
  lostFirstDay: number,
});
/** A period that extended or kept a streak; `by` is 0 or COVERED_BY. */
export const PERIOD_ROW = layout({ period: number, length: number, day: number, at: number, by: number });
/**
 * `repair`: a REPAIRED or false for each frequency; lengths of the streak in force that its periods have now
 * and had before, greatest of these lengths. What follows changes the history: lists of PERIOD_ROW, LOSS_ROW
 * and EARNED_ROW.
 */
export const REPAIR = layout({
  streaks: list<Flat<RecordOf<typeof REPAIRED>> | false>(),
  freezes: number,
  freezeDay: number,
  gained: list<number>(),
  dropped: list<number>(),
  longest: number,
  removedPeriods: records(PERIOD_ROW),
  addedPeriods: records(PERIOD_ROW),
  removedLosses: records(LOSS_ROW),
  addedLosses: records(LOSS_ROW),
  removedEarned: records(EARNED_ROW),
  addedEarned: records(EARNED_ROW),
});
/**
 * lua/recordLateEvent.lua: the instant of the event (ms), and what the history says of the user at a
 * sequence number: `repair` of the streaks, numbers of leaderboards on which a later event counts. An event
 * that is too old is only answered if its key was used. `undo`: of an event that undoes another one.
 */
export const LATE = layout({
  at: number,
  sequence: orFalse(number),
  repair: orFalse(record(REPAIR)),
  outdated: list<number>(),
  marks: records(MARK_PAST),
  isTooOld: flag,
  undo: orFalse(record(UNDO)),
});
