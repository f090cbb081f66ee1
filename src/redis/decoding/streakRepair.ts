import { FREQUENCIES } from '../../rules/calendar.ts';
import type { RecordedPeriod } from '../../rules/followStreak.ts';
import type { Repair } from '../../rules/lateStreaks.ts';
import { EARNED_ROW, LOSS_ROW } from '../layouts/historyRowLayout.ts';
import { PERIOD_ROW, REPAIR, REPAIRED } from '../layouts/lateLayout.ts';
import {
  type Flat,
  type RecordOf,
  readRecord,
  readRecords,
  toRecord,
  toRecords,
} from '../layouts/recordLayout.ts';
import { COVERED_BY, MADE_GOOD_BY } from '../lua/scriptConstants.ts';

/** The change of a repaired streak in the history. */
export type RepairedHistory = Pick<
  Repair,
  'removedPeriods' | 'addedPeriods' | 'removedLosses' | 'addedLosses' | 'removedEarned' | 'addedEarned'
>;

export const periodRows = (rows: readonly RecordedPeriod[]): Flat<RecordOf<typeof PERIOD_ROW>> =>
  toRecords(
    PERIOD_ROW,
    rows.map(({ madeGoodBy, ...row }) => ({
      ...row,
      by: madeGoodBy === null ? 0 : COVERED_BY[madeGoodBy],
    })),
  );

/** The REPAIR record for lua/recordLateEvent.lua. */
export function repairRecord(repair: Repair): Flat<RecordOf<typeof REPAIR>> {
  return toRecord(REPAIR, {
    ...repair,
    streaks: FREQUENCIES.map((frequency) => {
      const streak = repair.streaks[frequency];
      return streak !== null && toRecord(REPAIRED, streak);
    }),
    removedPeriods: periodRows(repair.removedPeriods),
    addedPeriods: periodRows(repair.addedPeriods),
    removedLosses: toRecords(LOSS_ROW, repair.removedLosses),
    addedLosses: toRecords(LOSS_ROW, repair.addedLosses),
    removedEarned: toRecords(EARNED_ROW, repair.removedEarned),
    addedEarned: toRecords(EARNED_ROW, repair.addedEarned),
  });
}

/** Reads what the relay needs of the record. */
export function readRepair(packed: Flat<RecordOf<typeof REPAIR>>): RepairedHistory {
  const record = readRecord(REPAIR, packed);
  return {
    removedPeriods: readPeriods(record.removedPeriods),
    addedPeriods: readPeriods(record.addedPeriods),
    removedLosses: readRecords(LOSS_ROW, record.removedLosses),
    addedLosses: readRecords(LOSS_ROW, record.addedLosses),
    removedEarned: readRecords(EARNED_ROW, record.removedEarned),
    addedEarned: readRecords(EARNED_ROW, record.addedEarned),
  };
}

export const readPeriods = (flat: Flat<RecordOf<typeof PERIOD_ROW>>): RecordedPeriod[] =>
  readRecords(PERIOD_ROW, flat).map(({ by, ...period }) => ({
    ...period,
    madeGoodBy: MADE_GOOD_BY.get(by) ?? null,
  }));
