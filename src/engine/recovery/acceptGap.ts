import { homeCellOf } from '../../base/cells.ts';
import { listTenantNumbers } from '../../db/access/tenantRows.ts';
import { loadConfig } from '../../db/configuration/loadConfig.ts';
import { keys } from '../../redis/state/redisKeys.ts';
import type { Stores } from '../stores.ts';
import { takeReceipts } from './compareReceipts.ts';

/**
 * Lets relays go on although PostgreSQL lacks history that has left Redis. Users keep what they have in
 * Redis; the missing history and its daily counts stay missing.
 * @throws Error if PostgreSQL lacks changes of the configuration, too: numbers of entities would be given
 * twice
 */
export async function acceptGap(stores: Stores): Promise<void> {
  const { pool, redis, cells } = stores;
  const tenants = await listTenantNumbers(pool);
  const published = Object.values(await redis.hgetall(keys.tenants)).map(Number);
  if (published.some((tenant) => !tenants.includes(tenant))) throw refusal('tenants');
  for (const tenant of tenants) {
    const { version } = await loadConfig(pool, tenant);
    if (Number(await redis.get(keys.version(tenant, homeCellOf(tenant, cells)))) > version) {
      throw refusal('changes of the configuration');
    }
  }
  await takeReceipts(pool, stores);
}

function refusal(what: string): Error {
  return new Error(
    `PostgreSQL lacks ${what} that Redis has: only "laurel restore --replace" makes both agree`,
  );
}
