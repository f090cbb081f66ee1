import { FREQUENCIES } from '../../rules/calendar.ts';
import type { EarnedFreezes, RecordedLoss, RecordedPeriod } from '../../rules/followStreak.ts';
import type { Mending } from '../../rules/lateStreaks.ts';
import type { MadeGoodBy } from '../../rules/streakHistory.ts';
import { type Layout, layout, readRecord, readRecords, toRecord } from '../state/recordLayout.ts';
import { MENDED, MENDING } from './lateLayout.ts';
import { COVERED_BY } from './scriptConstants.ts';

/** A period that extended or kept a streak; `by` is 0 or COVERED_BY. Instants in ms. */
const PERIOD_ROW = layout('period', 'length', 'day', 'at', 'by');
const LOSS_ROW = layout('period', 'length', 'lostAt');
const EARNED_ROW = layout('at', 'freezes');

/** The change of a mended streak in the history. */
export type MendedHistory = Pick<
  Mending,
  'removedPeriods' | 'addedPeriods' | 'removedLosses' | 'addedLosses' | 'removedEarned' | 'addedEarned'
>;

/** The MENDING record for lua/recordLateEvent.lua. */
export function mendingRecord(mending: Mending): unknown[] {
  const periodRow = ({ madeGoodBy, ...row }: RecordedPeriod): unknown[] =>
    toRecord(PERIOD_ROW, { ...row, by: madeGoodBy === null ? 0 : COVERED_BY[madeGoodBy] });
  const lossRow = (row: RecordedLoss): unknown[] => toRecord(LOSS_ROW, { ...row });
  const earnedRow = (row: EarnedFreezes): unknown[] => toRecord(EARNED_ROW, { ...row });
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
    removedEarned: mending.removedEarned.flatMap(earnedRow),
    addedEarned: mending.addedEarned.flatMap(earnedRow),
  });
}

/** Reads what the relay needs of the record. */
export function readMending(packed: unknown[]): MendedHistory {
  const record = readRecord(MENDING, packed);
  return {
    removedPeriods: readPeriods(record.removedPeriods),
    addedPeriods: readPeriods(record.addedPeriods),
    removedLosses: readRows<RecordedLoss>(LOSS_ROW, record.removedLosses),
    addedLosses: readRows<RecordedLoss>(LOSS_ROW, record.addedLosses),
    removedEarned: readRows<EarnedFreezes>(EARNED_ROW, record.removedEarned),
    addedEarned: readRows<EarnedFreezes>(EARNED_ROW, record.addedEarned),
  };
}

const MADE_GOOD_BY = new Map(Object.entries(COVERED_BY).map(([by, no]) => [no as number, by as MadeGoodBy]));

function readPeriods(flat: unknown): RecordedPeriod[] {
  return readRecords(PERIOD_ROW, flat as number[]).map((row) => {
    const { by, ...period } = row as Record<keyof typeof row, number>;
    return { ...period, madeGoodBy: MADE_GOOD_BY.get(by) ?? null };
  });
}

const readRows = <Row>(of: Layout<string & keyof Row>, flat: unknown): Row[] =>
  readRecords(of, flat as number[]) as unknown as Row[];
