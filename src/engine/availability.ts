import type { Redis } from 'ioredis';
import { ServiceError } from '../base/errors.ts';
import { isPostgresOutage } from '../db/availability.ts';
import { DEFAULT_TENANT } from '../db/configuration.ts';
import type { Pool } from '../db/pool.ts';
import { hasSnapshots } from '../db/snapshots.ts';
import { isRedisOutage } from '../redis/availability.ts';
import { keys } from '../redis/keys.ts';

/** The error to answer with: `unavailable` when Redis or PostgreSQL cannot serve, else the error itself. */
export function asServiceError(error: unknown): unknown {
  if (!isRedisOutage(error) && !isPostgresOutage(error)) return error;
  return new ServiceError('unavailable', 'The store is not available; try again');
}

/**
 * Whether Redis was lost and has not been restored yet. Until then nothing may be changed in it: users whom PostgreSQL knows would
 * start from zero.
 */
export async function mustBeRestored(pool: Pool, redis: Redis): Promise<boolean> {
  const [restoring, rules] = await Promise.all([
    redis.exists(keys.restoring),
    redis.exists(keys.rules(DEFAULT_TENANT)),
  ]);
  return restoring === 1 || (rules === 0 && (await hasSnapshots(pool)));
}

/** @throws ServiceError `unavailable` while Redis waits to be restored */
export async function assertRestored(pool: Pool, redis: Redis): Promise<void> {
  if (await mustBeRestored(pool, redis)) {
    throw new ServiceError('unavailable', 'The store waits to be restored; try again');
  }
}
