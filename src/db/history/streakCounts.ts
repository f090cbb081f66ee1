import { frequencyNo } from '../../rules/calendar.ts';
import type { Frequency } from '../../rules/config.ts';
import type { MadeGoodBy } from '../../rules/streakHistory.ts';
import type { DailyCounts } from '../analytics/dailyCounts.ts';

/* What the history of streaks adds to the counts of a day. `times` is -1 for a row that is removed. */

export function countPeriod(
  dailyCounts: DailyCounts,
  row: { tenant: number; frequency: Frequency; length: number; madeGoodBy: MadeGoodBy | null },
  day: number,
  times: 1 | -1,
): void {
  const { tenant, frequency, length, madeGoodBy } = row;
  const no = frequencyNo(frequency);
  if (madeGoodBy === 'freeze') dailyCounts.add(tenant, 'freezesUsed', day, no, '', times);
  else if (madeGoodBy === 'pause') dailyCounts.add(tenant, 'pausesUsed', day, no, '', times);
  else if (madeGoodBy === null) {
    dailyCounts.add(tenant, 'streaksExtended', day, no, '', times);
    if (length === 1) dailyCounts.add(tenant, 'streaksStarted', day, no, '', times);
  }
}

export function countLoss(
  dailyCounts: DailyCounts,
  { tenant, frequency, length }: { tenant: number; frequency: Frequency; length: number },
  day: number,
  times: 1 | -1,
): void {
  dailyCounts.add(tenant, 'streaksLost', day, frequencyNo(frequency), length, times);
}
