import { DailyCounts } from '../analytics/dailyCounts.ts';
import { BulkStatement } from '../bulkInsert.ts';
import type { PoolClient } from '../pool.ts';
import type { DayRange, EntryId, EntryRow, HistoryRows } from './historyRows.ts';

const COUNT = new BulkStatement<EntryId, EntryId>(
  { cell: 'int4', entryId: 'text' },
  ({ insertInto }) => `${insertInto('counted_entries')} order by 1, 2
    on conflict do nothing returning cell, entry_id as "entryId"`,
);

/** Deletes the marks of entries that have left the outboxes: no relay writes them again. */
const FORGET = new BulkStatement<EntryId>(
  { cell: 'int4', entryId: 'text' },
  ({ rows }) => `delete from counted_entries using ${rows}
    where counted_entries.cell = row.cell and counted_entries.entry_id = row.entry_id`,
);

/**
 * The dailyCounts of a batch of outbox entries, without entries that an earlier transaction has written. Runs
 * in the transaction that writes their history.
 * @returns `counted`: the entries whose dailyCounts these are; `isRepeat`: whether there are others
 */
export async function countEntries(
  client: PoolClient,
  { entries, acknowledged }: HistoryRows,
): Promise<{ dailyCounts: DailyCounts; counted: EntryRow[]; isRepeat: boolean }> {
  await FORGET.run(client, acknowledged, false);
  const dailyCounts = new DailyCounts();
  if (entries.length === 0) return { dailyCounts, counted: [], isRepeat: false };
  const rows = await COUNT.run(client, entries, false);
  const isNew = new Set(rows.map(({ cell, entryId }) => `${cell} ${entryId}`));
  const counted = entries.filter(({ cell, entryId }) => isNew.has(`${cell} ${entryId}`));
  for (const { dailyCounts: own } of counted) dailyCounts.addAll(own.rows);
  return { dailyCounts, counted, isRepeat: rows.length < entries.length };
}

/**
 * Takes the dailyCounts of entries back whose events and awards an earlier transaction has written: its mark
 * of the entry is deleted when the entry leaves the outbox, but a Redis that is set back may have the entry
 * again.
 * @param isWritten whether this transaction has written the event or the award at a position
 */
export function takeBackWritten(
  dailyCounts: DailyCounts,
  counted: readonly EntryRow[],
  isWritten: { event: (i: number) => boolean; award: (i: number) => boolean },
): void {
  for (const { events, awards, dailyCounts: own } of counted) {
    const hasRows = events.end > events.start || awards.end > awards.start;
    if (hasRows && !someOf(events, isWritten.event) && !someOf(awards, isWritten.award))
      dailyCounts.addAll(own.rows, -1);
  }
}

function someOf({ start, end }: DayRange, is: (i: number) => boolean): boolean {
  for (let i = start; i < end; i++) if (is(i)) return true;
  return false;
}
