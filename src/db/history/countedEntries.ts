import { numbers, texts } from '../bulkInsert.ts';
import { Figures } from '../figures/figures.ts';
import type { PoolClient } from '../pool.ts';
import type { EntryPlace, EntryRow, HistoryRows } from './historyRows.ts';

/**
 * The figures of a batch of outbox entries, without entries that an earlier transaction has written. Runs in the transaction that
 * writes their history.
 * @returns `isRepeat`: whether there are such entries
 */
export async function countEntries(
  client: PoolClient,
  { entries, acknowledged }: HistoryRows,
): Promise<{ figures: Figures; isRepeat: boolean }> {
  await forgetEntries(client, acknowledged);
  const figures = new Figures();
  if (entries.length === 0) return { figures, isRepeat: false };
  const { rows } = await client.query<EntryPlace>({
    name: 'count entries',
    text: `insert into counted_entries (shard, entry_id)
      select * from unnest($1::int4[], $2::text[]) order by 1, 2
      on conflict do nothing returning shard as cell, entry_id as "entryId"`,
    values: [numbers<EntryRow>((row) => row.cell)(entries), texts<EntryRow>((row) => row.entryId)(entries)],
  });
  const isNew = new Set(rows.map(({ cell, entryId }) => `${cell} ${entryId}`));
  for (const { cell, entryId, figures: own } of entries) if (isNew.has(`${cell} ${entryId}`)) figures.addAll(own.rows);
  return { figures, isRepeat: rows.length < entries.length };
}

/** Deletes the marks of entries that have left the outboxes: no relay writes them again. */
async function forgetEntries(client: PoolClient, places: readonly EntryPlace[]): Promise<void> {
  if (places.length === 0) return;
  await client.query({
    name: 'forget entries',
    text: `delete from counted_entries using unnest($1::int4[], $2::text[]) as gone (cell, entry_id)
      where counted_entries.shard = gone.cell and counted_entries.entry_id = gone.entry_id`,
    values: [places.map(({ cell }) => cell), places.map(({ entryId }) => entryId)],
  });
}
