import { type Pool, type PoolClient, type Queryable, transaction } from './pool.ts';

/** Any number will do, as long as every version of laurel uses the same one. */
const FENCE_LOCK = 5_823_104_977;

/**
 * A relay that hung with a batch in hand must not write it any more once another one has taken its entries over: what was written
 * in its place may have been erased since. So a batch is written under a number that was read before the batch was, and whoever
 * takes over raises the number before writing anything.
 */
export class FencedOffError extends Error {}

/** The number under which what is read from now on may be written. */
export async function readFence(db: Queryable): Promise<string> {
  const { rows } = await db.query<{ fence: string }>('select last_value as fence from relay_fence');
  return rows[0]!.fence;
}

/**
 * From its return on, nothing is written that was read before.
 * @returns the new number
 */
export function raiseFence(pool: Pool): Promise<string> {
  return transaction(pool, async (client) => {
    await client.query('select pg_advisory_xact_lock($1)', [FENCE_LOCK]);
    const { rows } = await client.query<{ fence: string }>(`select nextval('relay_fence') as fence`);
    return rows[0]!.fence;
  });
}

/**
 * Makes sure, until the end of the transaction, that the number has not been raised.
 * @throws FencedOffError when it has
 */
export async function assertFence(client: PoolClient, fence: string): Promise<void> {
  await client.query('select pg_advisory_xact_lock_shared($1)', [FENCE_LOCK]);
  if ((await readFence(client)) !== fence) throw new FencedOffError('another relay has taken entries over');
}
