import { expect, test } from 'vitest';
import { dayOfDate, periodOfDay } from '../../src/rules/calendar.ts';
import { type StreakPeriod, withEarlierPeriods } from '../../src/rules/streakHistory.ts';

/** Weeks of a streak that was daily at first. */
const FIRST_DAY = dayOfDate('2026-11-04');
const week = (date: string): number => periodOfDay('weekly', dayOfDate(date));
const THIS_WEEK = week('2026-11-18');
const extended = (period: number, length: number): StreakPeriod => ({ period, length, madeGoodBy: null });
const streak = {
  length: 3,
  firstDay: FIRST_DAY,
  lastPeriod: THIS_WEEK,
  pauses: [],
  recordedFrom: THIS_WEEK + 1,
};

test('periods before a change of frequency are those of the streak that goes on', () => {
  expect(withEarlierPeriods([], 'weekly', THIS_WEEK - 5, streak)).toEqual([
    extended(THIS_WEEK - 2, 1),
    extended(THIS_WEEK - 1, 2),
    extended(THIS_WEEK, 3),
  ]);
});

test('what the history knows stays, and a pause keeps the length', () => {
  const recorded = [extended(THIS_WEEK, 2)];
  const pauses = [{ start: dayOfDate('2026-11-10'), end: dayOfDate('2026-11-11') }];
  expect(withEarlierPeriods(recorded, 'weekly', THIS_WEEK - 5, { ...streak, length: 2, pauses })).toEqual([
    extended(THIS_WEEK - 2, 1),
    { period: THIS_WEEK - 1, length: 1, madeGoodBy: 'pause' },
    extended(THIS_WEEK, 2),
  ]);
});

test('only the periods asked for are added, and none without a streak', () => {
  expect(withEarlierPeriods([], 'weekly', THIS_WEEK, streak)).toEqual([extended(THIS_WEEK, 3)]);
  expect(withEarlierPeriods([], 'weekly', THIS_WEEK - 5, { ...streak, length: 0 })).toEqual([]);
});

test('a streak that is over adds nothing to what the history knows', () => {
  const recorded = [extended(THIS_WEEK, 3)];
  expect(withEarlierPeriods(recorded, 'weekly', THIS_WEEK - 5, { ...streak, length: 0 })).toEqual(recorded);
});

test('a period that an event extended before its pause began is not kept by the pause', () => {
  const pauses = [{ start: dayOfDate('2026-11-19'), end: dayOfDate('2026-11-20') }];
  expect(withEarlierPeriods([], 'weekly', THIS_WEEK - 5, { ...streak, pauses })).toEqual([
    extended(THIS_WEEK - 2, 1),
    extended(THIS_WEEK - 1, 2),
    extended(THIS_WEEK, 3),
  ]);
});

test('a period that is paused as a whole is kept by the pause, not the one before in which it began', () => {
  const pauses = [{ start: dayOfDate('2026-11-06'), end: dayOfDate('2026-11-16') }];
  expect(withEarlierPeriods([], 'weekly', THIS_WEEK - 5, { ...streak, length: 2, pauses })).toEqual([
    extended(THIS_WEEK - 2, 1),
    { period: THIS_WEEK - 1, length: 1, madeGoodBy: 'pause' },
    extended(THIS_WEEK, 2),
  ]);
});
