import { hasSnapshots } from '../../db/history/snapshotRows.ts';
import { isPostgresOutage } from '../../db/postgresAvailability.ts';
import { isRedisOutage } from '../../redis/connection/redisAvailability.ts';
import { keys } from '../../redis/keys/redisKeys.ts';
import { faultOfRedisWithoutRules, hasRules, STORE_FAULT, unavailable } from '../availability/storeFaults.ts';
import type { Stores } from './stores.ts';

/** The error to answer with: `unavailable` when Redis or PostgreSQL cannot serve, else the error itself. */
export function asServiceError(error: unknown): unknown {
  // Codes of the operating system come from the client of PostgreSQL: that of Redis has errors of its own for
  // a lost connection.
  if (isPostgresOutage(error)) return unavailable(STORE_FAULT.postgresAway);
  if (isRedisOutage(error)) return unavailable(STORE_FAULT.redisAway);
  return error;
}

/**
 * Whether Redis was lost and has not been restored yet. Until then calls must not change anything in Redis,
 * because users whom PostgreSQL knows would start from zero.
 */
export async function mustBeRestored({ pool, redis, cells }: Stores): Promise<boolean> {
  const [restoring, isPublished] = await Promise.all([redis.exists(keys.restoring), hasRules(redis, cells)]);
  return restoring === 1 || (!isPublished && (await hasSnapshots(pool)));
}

/** @throws ServiceError `unavailable` while Redis waits to be restored */
export async function assertRestored(stores: Stores): Promise<void> {
  if (await mustBeRestored(stores)) throw unavailable(await faultOfRedisWithoutRules(stores.redis));
}
