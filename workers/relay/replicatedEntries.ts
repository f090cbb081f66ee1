import type { ConfirmOutboxes } from '../../src/redis/connection/replication.ts';

/**
 * The entries of cells whose replicas have them. The others stay pending: a failover would take them from
 * Redis, and the history must not have what Redis has not. `unreplicated` is the number of their cells.
 */
export async function replicatedEntries<Entry extends { cell: number }>(
  read: Entry[],
  confirm: ConfirmOutboxes,
): Promise<{ entries: Entry[]; unreplicated: number }> {
  const cells = new Set(read.map(({ cell }) => cell));
  if (cells.size === 0) return { entries: [], unreplicated: 0 };
  const replicated = await confirm(cells);
  const entries = read.filter(({ cell }) => replicated.has(cell));
  return { entries, unreplicated: cells.size - replicated.size };
}
