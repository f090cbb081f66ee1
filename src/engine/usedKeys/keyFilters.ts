import { cellOf } from '../../base/cells.ts';
import { RELAY_WAIT_MS_MAX } from '../../base/limits.ts';
import { readUsedKeys } from '../../db/history/usedKeyRows.ts';
import type { Pool, PoolClient } from '../../db/pool.ts';
import type { RedisCommand } from '../../redis/connection/pipeline.ts';
import { runPipeline } from '../../redis/connection/pipeline.ts';
import { chunksOf, FilterBuilder, linesFor, positionOf } from '../../redis/keys/keyFilter.ts';
import { keys } from '../../redis/keys/redisKeys.ts';
import type { Scripts } from '../../redis/scripts/scripts.ts';
import { waitForRelay } from '../../redis/state/relayProgress.ts';
import { type ColdKeys, keysOfFilter } from '../../redis/usedKeys/keyLedger.ts';
import type { Stores } from '../stores/stores.ts';

const KEYS_PER_BATCH = 10_000;
/** Bounds how far the clock of a server may be from that of a worker, or of the machine of a restore. */
const CLOCKS_DIFFER_MS_MAX = 3_600_000;

export interface FilteredKeys {
  tenant: number;
  cell: number;
  /** Keys used before this instant (ms) are in the filter. */
  coldBefore: number;
  /** Keys that were used under a window at or before this instant have run out; null: none. */
  ranOutAt: number | null;
}

/**
 * Writes a filter of the keys that PostgreSQL has, beside the one that is in use. Until it comes into use, it
 * is listed among the retired keys, so that the next run removes what an interrupted one has left.
 * @param pool whose statements may take any time: PostgreSQL sorts the keys
 * @returns how the ledger refers to it, and how many keys there are
 * @throws ServiceError `unavailable` if the relay is far behind
 */
export async function buildFilter(
  { redis, scripts, cells }: Pick<Stores, 'redis' | 'cells'> & { scripts: Scripts },
  pool: Pool,
  asked: FilteredKeys,
): Promise<{ cold: ColdKeys; count: number }> {
  const { tenant, cell, coldBefore } = asked;
  await waitForRelay(scripts, [cell], RELAY_WAIT_MS_MAX);
  return readInTransaction(pool, async (client) => {
    const chunks: RedisCommand[] = [];
    let cold: ColdKeys = { coldBefore: 0, filter: 0, filterLines: 0, filterTimed: false };
    let builder: FilterBuilder | null = null;
    let count = 0;
    const before = coldBefore + CLOCKS_DIFFER_MS_MAX;
    for await (const batch of readUsedKeys(client, { ...asked, before }, KEYS_PER_BATCH)) {
      // The users of a tenant may be in several cells.
      const own = batch.filter(({ userId }) => cellOf(tenant, userId, cells) === cell);
      if (own.length === 0) continue;
      if (builder === null) {
        const filterLines = linesFor(estimate(own.length, batch));
        const filter = (await scripts.editKeyLedger(tenant, cell, { reserve: true }))!;
        await scripts.editKeyLedger(tenant, cell, { retire: [keysOfFilter(filter, chunksOf(filterLines))] });
        cold = { coldBefore, filter, filterLines, filterTimed: false };
        const prefix = keys.tenantPrefix(tenant, cell) + keysOfFilter(filter, 0).prefix;
        builder = new FilterBuilder(filterLines, (chunk, content) =>
          chunks.push(['set', `${prefix}${chunk}`, content]),
        );
      }
      for (const { fingerprint, isTimed } of own) {
        builder.add(fingerprint);
        if (isTimed) cold.filterTimed = true;
      }
      count += own.length;
      await runPipeline(redis, chunks.splice(0));
    }
    builder?.finish();
    await runPipeline(redis, chunks);
    return { cold, count };
  });
}

/** Number of all own keys, from the first batch that has some: fingerprints are uniformly distributed. */
function estimate(own: number, batch: readonly { fingerprint: string }[]): number {
  if (batch.length < KEYS_PER_BATCH) return own;
  return Math.ceil(own / positionOf(batch.at(-1)!.fingerprint));
}

async function readInTransaction<T>(pool: Pool, read: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query('begin isolation level repeatable read read only');
    return await read(client);
  } finally {
    // Closing the connection ends the transaction and its cursor.
    client.release(true);
  }
}
