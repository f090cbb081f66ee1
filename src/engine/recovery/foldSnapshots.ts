import {
  deleteRelayedStates,
  type Snapshot,
  takeRelayedStates,
  writeSnapshots,
} from '../../db/history/snapshotRows.ts';
import { type Pool, type PoolClient, transaction } from '../../db/pool.ts';
import { markersOf } from '../../redis/decoding/userState.ts';
import { unpackStates } from '../../redis/state/storedStates.ts';

/**
 * Folds the states that the relay has written into the snapshots of their users, until no row is left.
 * Several processes may fold at once: each locks other rows, and of two states the one with the higher
 * sequence number stays.
 * @param options.wait also for rows that other processes fold: afterwards the snapshots contain every state
 * relayed before the call
 * @returns the number of snapshots written or found newer
 */
export async function foldRelayedStates(
  pool: Pool,
  { wait, signal }: { wait: boolean; signal?: AbortSignal },
): Promise<number> {
  let folded = 0;
  while (!signal?.aborted) {
    const count = await transaction(pool, (client) => foldSome(client, wait));
    if (count === null) break;
    folded += count;
  }
  return folded;
}

/** @returns null when there was nothing to fold */
async function foldSome(client: PoolClient, wait: boolean): Promise<number | null> {
  const rows = await takeRelayedStates(client, wait);
  if (rows.length === 0) return null;
  const newest = new Map<string, Snapshot>();
  for (const row of rows) {
    for (const { tenant, userId, hot, cold } of unpackStates(row)) {
      const snapshot = {
        tenant,
        userId,
        sequence: markersOf(hot).sequence,
        takenAt: row.readAt,
        hot,
        cold,
      };
      const name = `${tenant}:${userId}`;
      const known = newest.get(name);
      if (known === undefined || snapshot.sequence > known.sequence) newest.set(name, snapshot);
    }
  }
  // Always in the same order, so that two folds cannot wait for each other in a circle.
  const inOrder = [...newest].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, snapshot]) => snapshot);
  await writeSnapshots(client, inOrder);
  await deleteRelayedStates(client, rows);
  return newest.size;
}
