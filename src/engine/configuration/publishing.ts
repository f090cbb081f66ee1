import { ServiceError } from '../../base/errors.ts';
import { listUnpublished, loadConfig, markPublished } from '../../db/configuration/loadConfig.ts';
import type { Config } from '../../rules/config.ts';
import { publishRules } from '../calls/rulesStore.ts';
import { asServiceError, mustBeRestored } from '../stores/availability.ts';
import type { Stores } from '../stores/stores.ts';

/** Publishes a stored configuration: when this returns, no event is evaluated with an older one. */
async function publishConfig(
  { pool, redis, cells, rulesStore }: Stores,
  config: Config,
  now: number,
): Promise<void> {
  const rules = await publishRules(redis, config, cells, now);
  if (rules !== null) rulesStore?.adopt(rules);
  await markPublished(pool, config.tenant, config.version);
}

/** The same for the newest configuration of a tenant. */
export async function publishStored(stores: Stores, tenant: number, now: number): Promise<void> {
  await publishConfig(stores, await loadConfig(stores.pool, tenant), now);
}

/**
 * Publishes a configuration for the caller that has just changed it.
 * @throws ServiceError `unavailable` that says that the change is stored; a worker publishes it later
 */
export async function publishChange(stores: Stores, config: Config, now: number): Promise<void> {
  try {
    await publishConfig(stores, config, now);
  } catch (error) {
    const known = asServiceError(error);
    if (!(known instanceof ServiceError)) throw error;
    throw new ServiceError(
      known.code,
      'The change is stored, and will be in force as soon as the store is available',
    );
  }
}

/**
 * Publishes configurations that a stopped process had stored but not published; none while Redis waits to be
 * restored.
 * @throws the first error, once all tenants have been tried: none waits for another
 */
export async function publishPending(stores: Stores, now: number, signal?: AbortSignal): Promise<void> {
  if (await mustBeRestored(stores)) return;
  const errors: unknown[] = [];
  for (const tenant of await listUnpublished(stores.pool)) {
    if (signal?.aborted) return;
    await publishStored(stores, tenant, now).catch((error) => errors.push(error));
  }
  if (errors.length > 0) throw errors[0];
}
