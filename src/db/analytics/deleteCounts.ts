import type { PoolClient } from '../pool.ts';
import { execute, some } from '../rows.ts';

/**
 * Deletes the counts of all days of a tenant, which may have been of erased users only. The lock makes the
 * relay wait, so no user and no count is added between the check and the deletion.
 * @returns false if the tenant has users: then nothing was deleted
 */
export async function deleteCounts(client: PoolClient, tenant: number): Promise<boolean> {
  const hasUsers = (): Promise<boolean> => some(client)`select from users where tenant = ${tenant} limit 1`;
  if (await hasUsers()) return false;
  await execute(client)`lock table daily_counts in share row exclusive mode`;
  if (await hasUsers()) return false;
  await execute(client)`delete from daily_counts where tenant = ${tenant}`;
  await execute(client)`delete from monthly_counts where tenant = ${tenant}`;
  return true;
}
