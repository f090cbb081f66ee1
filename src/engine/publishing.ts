import type { Redis } from 'ioredis';
import { ServiceError } from '../base/errors.ts';
import { DEFAULT_TENANT, listUnpublished, loadConfig, markPublished } from '../db/configuration.ts';
import type { Pool } from '../db/pool.ts';
import { asServiceError } from '../redis/availability.ts';
import { keys } from '../redis/keys.ts';
import { publishRules } from './rulesStore.ts';
import { hasSnapshots } from './snapshots.ts';

/** Where the configuration is recorded and where it is in force. */
export interface Stores {
  pool: Pool;
  redis: Redis;
  shards: number;
}

/** Without rules nothing is changed in Redis, so that nobody starts anew there whom PostgreSQL knows. */
export async function mustBeRestored(pool: Pool, redis: Redis): Promise<boolean> {
  const [restoring, rules] = await Promise.all([
    redis.exists(keys.restoring),
    redis.exists(keys.rules(DEFAULT_TENANT)),
  ]);
  return restoring === 1 || (rules === 0 && (await hasSnapshots(pool)));
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
  if (await mustBeRestored(stores.pool, stores.redis)) {
    throw new ServiceError('unavailable', 'The store waits to be restored; try again');
  }
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
