import { decimalSum } from '../../src/base/numbers.ts';
import { DailyCounts, type DayOf } from '../../src/db/analytics/dailyCounts.ts';
import type { HistoryRows } from '../../src/db/history/historyRows.ts';
import type { EventChange, OutboxEntry } from '../../src/redis/decoding/outbox.ts';
import type { BoardChange, Changes } from '../../src/redis/decoding/outcome.ts';
import { type BatchUser, withRow } from './batchUsers.ts';

/**
 * The dailyCounts of an entry: points, ranks and, for events, metrics. Days are in the tenant's time zone.
 */
export function countsOf(entry: OutboxEntry, dayOf: DayOf): DailyCounts {
  const dailyCounts = new DailyCounts();
  const { tenant } = entry;
  if (entry.fn === 'settleUsers') {
    for (const { change, outcome } of entry.changes)
      addChanges(dailyCounts, tenant, dayOf(tenant, change.at), outcome);
    return dailyCounts;
  }
  // What was gained elsewhere is no activity here.
  if (entry.fn === 'importUsers') return dailyCounts;
  if (entry.fn === 'importEvents') {
    for (const { change, outcome } of entry.changes)
      countAlone(dailyCounts, tenant, dayOf(tenant, change.at), change, outcome);
    return dailyCounts;
  }
  const day = dayOf(tenant, entry.now);
  if (entry.fn === 'recordEvents') {
    const sums = new Map<number, { events: number; values: number }>();
    for (const { change, outcome } of entry.changes) {
      if (change.late !== null) {
        countAlone(dailyCounts, tenant, dayOf(tenant, change.late.at), change, outcome);
        continue;
      }
      const sum = sums.get(change.metric) ?? { events: 0, values: 0 };
      sum.events++;
      sum.values = decimalSum(sum.values, change.value);
      sums.set(change.metric, sum);
      addChanges(dailyCounts, tenant, day, outcome);
    }
    for (const [metric, { events, values }] of sums)
      dailyCounts.add(tenant, 'metricEvents', day, metric, '', events, values);
    return dailyCounts;
  }
  for (const { outcome } of entry.changes) addChanges(dailyCounts, tenant, day, outcome);
  return dailyCounts;
}

/** Counts an event that does not share its day with the other events of its entry. */
function countAlone(
  dailyCounts: DailyCounts,
  tenant: number,
  day: number,
  { metric, value }: EventChange,
  outcome: Changes,
): void {
  dailyCounts.add(tenant, 'metricEvents', day, metric, '', 1, value);
  addChanges(dailyCounts, tenant, day, outcome);
}

function addChanges(
  dailyCounts: DailyCounts,
  tenant: number,
  day: number,
  { points, boards }: Changes,
): void {
  for (const { system, awards } of points) {
    for (const { trigger, awarded } of awards) {
      dailyCounts.add(
        tenant,
        awarded > 0 ? 'pointsGained' : 'pointsSpent',
        day,
        system,
        trigger,
        1,
        Math.abs(awarded),
      );
    }
  }
  for (const change of boards) {
    const kind = kindOf(change);
    const ranks = kind === 'up' || kind === 'down' ? Math.abs(change.rank! - change.previousRank!) : 0;
    if (kind !== null) dailyCounts.add(tenant, 'rankChanges', day, change.board, kind, 1, ranks);
  }
}

/** null if the rank is unchanged. */
function kindOf({ rank, previousRank }: BoardChange): 'entered' | 'left' | 'up' | 'down' | null {
  if (rank === previousRank) return null;
  if (previousRank === null) return 'entered';
  if (rank === null) return 'left';
  return rank < previousRank ? 'up' : 'down';
}

/** Adds the day of an event, each day of a user and metric once. */
export function addActiveDay({ activity }: HistoryRows, user: BatchUser, metric: number, day: number): void {
  if (user.activity.some((row) => row.metric === metric && row.day === day)) return;
  const { tenant, userId } = user;
  const row = { tenant, userId, metric, day };
  user.activity = withRow(user.activity, row);
  activity.push(row);
}
