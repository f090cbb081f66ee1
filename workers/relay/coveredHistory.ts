import type { HistoryRows } from '../../src/db/history/historyRows.ts';
import type { Changes, CoveredPeriod } from '../../src/redis/decoding/outcome.ts';
import type { BatchUser } from './batchUsers.ts';

/** Adds missed periods that a freeze, a pause or a day off made good: the length is unchanged. */
export function addCovered(
  rows: HistoryRows,
  { tenant, userId }: Pick<BatchUser, 'tenant' | 'userId'>,
  { frequency, day }: Changes,
  covered: readonly CoveredPeriod[],
  now: number,
): void {
  for (const { period, by, length } of covered) {
    const ofPeriod = { tenant, userId, frequency, period, length, day };
    rows.extensions.push({ ...ofPeriod, extendedAt: now, madeGoodBy: by });
  }
}
