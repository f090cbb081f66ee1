import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import type { Cells } from '../../base/cells.ts';
import { systemClock } from '../../base/clock.ts';
import { type Env, readEnv } from '../../base/env.ts';
import { createLog, type Log } from '../../base/log.ts';
import { readCells } from '../../db/installation.ts';
import { migrate } from '../../db/migrate.ts';
import { type Pool, withUnlimitedPool } from '../../db/pool.ts';
import type { StoreUrls } from '../../embedded/supervisor.ts';
import { connectRedis, whenReady } from '../../redis/connection/redisClient.ts';
import { readSharedTime } from '../../redis/state/sharedClock.ts';

/** The file in which `start` stores the addresses of its stores for other commands on the data directory. */
export function storesFile(env: Env): string {
  return join(env.dataDir, 'stores.json');
}

export async function storeUrls(env: Env): Promise<StoreUrls> {
  if (env.redisUrl !== null && env.databaseUrl !== null)
    return { redisUrl: env.redisUrl, databaseUrl: env.databaseUrl };
  try {
    return JSON.parse(await readFile(storesFile(env), 'utf8')) as StoreUrls;
  } catch {
    throw new Error(
      'REDIS_URL and DATABASE_URL must be set (or `npm start` must run on the same LAUREL_DATA_DIR)',
    );
  }
}

interface OpenDatabase {
  env: Env;
  log: Log;
  urls: StoreUrls;
  pool: Pool;
  /** Names of the migrations that this command has applied. */
  applied: string[];
}

/** For a command that ends by itself: PostgreSQL, migrated to this version, closed afterwards. */
export async function withDatabase<T>(role: string, work: (opened: OpenDatabase) => Promise<T>): Promise<T> {
  const env = readEnv();
  const log = createLog(role, env.logLevel);
  const urls = await storeUrls(env);
  return withUnlimitedPool(urls.databaseUrl, log, async (pool) => {
    const applied = await migrate(pool, systemClock.now(), log);
    return work({ env, log, urls, pool, applied });
  });
}

/** The same with both stores. */
export const withStores = <T>(
  role: string,
  work: (opened: OpenDatabase & { redis: Redis }) => Promise<T>,
): Promise<T> =>
  withDatabase(role, (opened) =>
    withRedis(opened.urls.redisUrl, opened.log, (redis) => work({ ...opened, redis })),
  );

/** Runs work on a connection of its own. */
export async function withRedis<T>(
  redisUrl: string,
  log: Log,
  work: (redis: Redis) => Promise<T>,
): Promise<T> {
  const redis = connectRedis(redisUrl, log);
  try {
    await whenReady(redis);
    return await work(redis);
  } finally {
    redis.disconnect();
  }
}

/** The cells of the installation. @throws Error before the first start of a server, which fixes them */
export async function fixedCells(pool: Pool): Promise<Cells> {
  const cells = await readCells(pool);
  if (cells === null) throw new Error('this installation has never been started; start a server first');
  return cells;
}

/**
 * The time of the service, which its test clock may have moved. A service without one does not start on such
 * a Redis, so the command's own environment does not matter.
 */
export const readTime = (redis: Redis): Promise<number> => readSharedTime(redis, systemClock.now());
