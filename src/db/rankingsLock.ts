import type { PoolClient } from './pool.ts';

/**
 * Who is erased must not come back with a ranking that was read before. So a tenant's users are erased, any number at a time, or one of
 * its runs becomes final, until the end of the transaction.
 */
const RANKINGS_LOCK = 728_193_547;

export async function lockRankings(client: PoolClient, tenant: number): Promise<void> {
  await client.query('select pg_advisory_xact_lock($1, $2)', [RANKINGS_LOCK, tenant]);
}

/** @returns false when a run is becoming final; then nobody is to be erased */
export async function shareRankings(client: PoolClient, tenant: number): Promise<boolean> {
  const { rows } = await client.query<{ shared: boolean }>(
    'select pg_try_advisory_xact_lock_shared($1, $2) as shared',
    [RANKINGS_LOCK, tenant],
  );
  return rows[0]!.shared;
}
