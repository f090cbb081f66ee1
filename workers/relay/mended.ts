import type { HistoryRows, MendedRows } from '../../src/db/history/historyRows.ts';
import type { MendedHistory } from '../../src/redis/scripts/mending.ts';
import type { OutboxEntry } from '../../src/redis/scripts/outbox.ts';
import type { Frequency } from '../../src/rules/config.ts';

/* The history of streaks that late events have mended. */

/** Adds the periods that a late event has changed. The rows that they replace are removed (`mendedOf`). */
export function addMending(
  rows: HistoryRows,
  tenant: number,
  userId: string,
  frequency: Frequency,
  { addedPeriods, addedLosses, addedEarned }: MendedHistory,
): void {
  for (const { at, ...period } of addedPeriods)
    rows.extensions.push({ tenant, userId, frequency, ...period, extendedAt: at });
  for (const loss of addedLosses) rows.losses.push({ tenant, userId, frequency, ...loss });
  for (const { at, freezes } of addedEarned)
    rows.earnedFreezes.push({ tenant, userId, earnedAt: at, freezes });
}

const NOTHING_MENDED: readonly MendedRows[] = [];

/** The rows of streaks that late events of an entry replace or remove. */
export function mendedOf(entry: OutboxEntry): readonly MendedRows[] {
  if (entry.fn !== 'recordEvents') return NOTHING_MENDED;
  const { tenant } = entry;
  return entry.changes.flatMap(({ change: { userId, late }, outcome: { frequency } }) =>
    late === null || late.mending === null
      ? NOTHING_MENDED
      : [
          {
            tenant,
            userId,
            frequency,
            periods: late.mending.removedPeriods,
            losses: late.mending.removedLosses,
            earned: late.mending.removedEarned,
          },
        ],
  );
}
