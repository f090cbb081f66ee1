import { type Pool, type PoolClient, type Queryable, transaction } from '../pool.ts';
import { execute, value } from '../rows.ts';

/** Key of an advisory lock; every version of laurel must use the same one. */
const FENCE_LOCK = 5_823_104_977;

/**
 * Another relay has taken over entries, so this batch must not be written: its rows may have been erased
 * since. To detect this, a relay reads the fence (a number) before it reads a batch, and the batch is written
 * only if the fence is still the same. A relay that takes over entries raises the fence before it writes
 * anything.
 */
export class FencedOffError extends Error {}

/** The present fence: batches read from now on may be written while it is unchanged. */
export const readFence = (db: Queryable): Promise<string> =>
  value(db)`select last_value as fence from relay_fence`;

/**
 * Raises the fence. After its return, no batch that was read before can be written.
 * @returns the new fence
 */
export function raiseFence(pool: Pool): Promise<string> {
  return transaction(pool, holdFence);
}

/** The same, and no batch is written until the end of the transaction. */
export async function holdFence(client: PoolClient): Promise<string> {
  await execute(client)`select pg_advisory_xact_lock(${FENCE_LOCK})`;
  return value(client)`select nextval('relay_fence') as fence`;
}

/**
 * Checks that the fence has not been raised, and keeps it from being raised until the end of the transaction.
 * @throws FencedOffError if it has been raised
 */
export async function assertFence(client: PoolClient, fence: string): Promise<void> {
  await execute(client)`select pg_advisory_xact_lock_shared(${FENCE_LOCK})`;
  if ((await readFence(client)) !== fence) throw new FencedOffError('another relay has taken entries over');
}
