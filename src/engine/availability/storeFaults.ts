import type { Redis } from 'ioredis';
import { type Cells, cellsOf } from '../../base/cells.ts';
import { ServiceError } from '../../base/errors.ts';
import { withTimeout } from '../../base/withTimeout.ts';
import { DEFAULT_TENANT } from '../../db/configuration/loadConfig.ts';
import type { Queryable } from '../../db/pool.ts';
import { takesWrites } from '../../redis/connection/redisClient.ts';
import { keys } from '../../redis/keys/redisKeys.ts';

/** Longest wait of `/readyz`, and of the metrics about stores, for an answer of a store. */
const STORE_PROBE_MS_MAX = 700;

/** What is wrong with a store, as answers and `/readyz` say it. */
export const STORE_FAULT = {
  redisAway: 'Redis is not available',
  redisEmpty: 'Redis is empty and must be restored',
  redisRestoring: 'Redis is being restored',
  postgresAway: 'PostgreSQL is not available',
} as const;
type StoreFault = (typeof STORE_FAULT)[keyof typeof STORE_FAULT];

export const unavailable = (fault: StoreFault): ServiceError =>
  new ServiceError('unavailable', `${fault}; try again`);

/** What Redis lacks if no rules are published. */
export async function faultOfRedisWithoutRules(redis: Redis): Promise<StoreFault> {
  return (await redis.exists(keys.restoring)) === 1 ? STORE_FAULT.redisRestoring : STORE_FAULT.redisEmpty;
}

/** Whether all cells of the account have rules: a node of a cluster may lose its data alone. */
export async function hasRules(redis: Redis, cells: Cells): Promise<boolean> {
  const found = await Promise.all(
    cellsOf(DEFAULT_TENANT, cells).map((cell) => redis.exists(keys.rules(DEFAULT_TENANT, cell))),
  );
  return found.every((count) => count === 1);
}

/** Why Redis cannot serve now; null if it can. Answers within STORE_PROBE_MS_MAX. */
export async function findRedisFault(redis: Redis, cells: Cells): Promise<StoreFault | null> {
  const find = async (): Promise<StoreFault | null> => {
    if (!(await takesWrites(redis))) return STORE_FAULT.redisAway;
    return (await hasRules(redis, cells)) ? null : faultOfRedisWithoutRules(redis);
  };
  return inTime(find(), STORE_FAULT.redisAway);
}

/** The same for PostgreSQL. */
export function findPostgresFault(db: Queryable): Promise<StoreFault | null> {
  const query = db.query('select').then(() => null);
  return inTime(query, STORE_FAULT.postgresAway);
}

function inTime(found: Promise<StoreFault | null>, otherwise: StoreFault): Promise<StoreFault | null> {
  return withTimeout(found, STORE_PROBE_MS_MAX, () => new Error(otherwise)).catch(() => otherwise);
}
