import type { Redis } from 'ioredis';
import { ServiceError } from '../base/errors.ts';
import { listUnpublished, loadConfig, markPublished } from '../db/configuration.ts';
import type { Pool } from '../db/pool.ts';
import { asServiceError, assertRestored, mustBeRestored } from './availability.ts';
import { publishRules } from './rulesStore.ts';

/** Where the configuration is recorded and where it is in force. */
export interface Stores {
  pool: Pool;
  redis: Redis;
  shards: number;
}

/** Puts the stored configuration of a tenant in force: once this returns, nothing is evaluated with an older one. */
export async function publishStored({ pool, redis, shards }: Stores, tenant: number, now: number): Promise<void> {
  const config = await loadConfig(pool, tenant);
  await publishRules(redis, config, shards, now);
  await markPublished(pool, tenant, config.version);
}

/** Puts in force what was stored by somebody who did not come to that; nothing while Redis waits to be restored. */
export async function publishPending(stores: Stores, now: number, signal?: AbortSignal): Promise<void> {
  if (await mustBeRestored(stores.pool, stores.redis)) return;
  for (const tenant of await listUnpublished(stores.pool)) {
    if (signal?.aborted) return;
    await publishStored(stores, tenant, now);
  }
}

/**
 * Lets `change` store something of a tenant's configuration and puts it in force; nothing is stored when it is known before
 * that it could not be.
 * @throws ServiceError `unavailable` also when Redis goes away after the commit; the change then comes into force by itself
 */
export async function changeInForce<T>(
  stores: Stores & { now: number },
  tenant: number,
  change: () => Promise<{ result: T; changed: boolean }>,
): Promise<T> {
  await assertRestored(stores.pool, stores.redis);
  const { result, changed } = await change();
  if (!changed) return result;
  try {
    await publishStored(stores, tenant, stores.now);
  } catch (error) {
    const known = asServiceError(error);
    if (!(known instanceof ServiceError)) throw error;
    throw new ServiceError(known.code, 'The change is stored, and will be in force as soon as the store is available');
  }
  return result;
}
