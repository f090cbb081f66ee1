import type { HistoryRows, RepairedRows } from '../../src/db/history/historyRows.ts';
import type { OutboxEntry } from '../../src/redis/decoding/outbox.ts';
import type { RepairedHistory } from '../../src/redis/decoding/streakRepair.ts';
import type { Frequency } from '../../src/rules/config.ts';

/* The history of streaks that late events have repaired or imports have replaced. */

/** Adds the periods that a late event has changed. The rows that they replace are removed (`repairedOf`). */
export function addRepair(
  rows: HistoryRows,
  tenant: number,
  userId: string,
  frequency: Frequency,
  { addedPeriods, addedLosses, addedEarned }: RepairedHistory,
): void {
  for (const { at, ...period } of addedPeriods)
    rows.extensions.push({ tenant, userId, frequency, ...period, extendedAt: at });
  for (const loss of addedLosses) rows.losses.push({ tenant, userId, frequency, ...loss });
  for (const { at, freezes } of addedEarned)
    rows.earnedFreezes.push({ tenant, userId, earnedAt: at, freezes });
}

const NOTHING_REPAIRED: readonly RepairedRows[] = [];

/** The rows of streaks that late events or imports of an entry replace or remove. */
export function repairedOf(entry: OutboxEntry): readonly RepairedRows[] {
  const { tenant } = entry;
  if (entry.fn === 'importUsers') {
    return entry.changes.flatMap(({ change: { userId, replaced }, outcome: { frequency, sequence } }) => {
      if (replaced === null) return NOTHING_REPAIRED;
      const { periods, losses, longest: length } = replaced;
      return { tenant, userId, frequency, periods, losses, earned: [], longest: { length, sequence } };
    });
  }
  if (entry.fn !== 'recordEvents') return NOTHING_REPAIRED;
  return entry.changes.flatMap(({ change: { userId, late }, outcome: { frequency } }) =>
    late === null || late.repair === null
      ? NOTHING_REPAIRED
      : [
          {
            tenant,
            userId,
            frequency,
            periods: late.repair.removedPeriods,
            losses: late.repair.removedLosses,
            earned: late.repair.removedEarned,
            longest: null,
          },
        ],
  );
}
