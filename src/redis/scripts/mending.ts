import { FREQUENCIES } from '../../rules/calendar.ts';
import type { RecordedLoss, RecordedPeriod } from '../../rules/followStreak.ts';
import type { Mending } from '../../rules/lateStreaks.ts';
import type { MadeGoodBy } from '../../rules/streakHistory.ts';
import { layout, readRecord, readRecords, toRecord } from '../state/recordLayout.ts';
import { MENDED, MENDING } from './lateLayout.ts';
import { COVERED_BY } from './scriptConstants.ts';

/** A period that extended or kept a streak; `by` is 0 or COVERED_BY. `at` and `lostAt` in ms. */
const PERIOD_ROW = layout('period', 'length', 'day', 'at', 'by');
const LOSS_ROW = layout('period', 'length', 'lostAt');

/** The change of a mended streak in the history. */
export type MendedHistory = Pick<
  Mending,
  'removedPeriods' | 'addedPeriods' | 'removedLosses' | 'addedLosses'
>;

/** The MENDING record for lua/recordLateEvent.lua. */
export function mendingRecord(mending: Mending): unknown[] {
  const periodRow = ({ madeGoodBy, ...row }: RecordedPeriod): unknown[] =>
    toRecord(PERIOD_ROW, { ...row, by: madeGoodBy === null ? 0 : COVERED_BY[madeGoodBy] });
  const lossRow = (row: RecordedLoss): unknown[] => toRecord(LOSS_ROW, { ...row });
  return toRecord(MENDING, {
    ...mending,
    streaks: FREQUENCIES.map((frequency) => {
      const streak = mending.streaks[frequency];
      return streak !== null && toRecord(MENDED, { ...streak });
    }),
    removedPeriods: mending.removedPeriods.flatMap(periodRow),
    addedPeriods: mending.addedPeriods.flatMap(periodRow),
    removedLosses: mending.removedLosses.flatMap(lossRow),
    addedLosses: mending.addedLosses.flatMap(lossRow),
  });
}

/** Reads what the relay needs of the record. */
export function readMending(packed: unknown[]): MendedHistory {
  const { removedPeriods, addedPeriods, removedLosses, addedLosses } = readRecord(MENDING, packed);
  return {
    removedPeriods: readPeriods(removedPeriods),
    addedPeriods: readPeriods(addedPeriods),
    removedLosses: readLosses(removedLosses),
    addedLosses: readLosses(addedLosses),
  };
}

const MADE_GOOD_BY = new Map(Object.entries(COVERED_BY).map(([by, no]) => [no as number, by as MadeGoodBy]));

function readPeriods(flat: unknown): RecordedPeriod[] {
  return readRecords(PERIOD_ROW, flat as number[]).map((row) => {
    const { by, ...period } = row as Record<keyof typeof row, number>;
    return { ...period, madeGoodBy: MADE_GOOD_BY.get(by) ?? null };
  });
}

const readLosses = (flat: unknown): RecordedLoss[] =>
  readRecords(LOSS_ROW, flat as number[]) as unknown as RecordedLoss[];
