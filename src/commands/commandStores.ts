import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { systemClock } from '../base/clock.ts';
import { type Env, readEnv } from '../base/env.ts';
import { createLog, type Log } from '../base/log.ts';
import { migrate } from '../db/migrate.ts';
import { type Pool, withUnlimitedPool } from '../db/pool.ts';
import type { StoreUrls } from '../embedded/supervisor.ts';
import { connectRedis, whenReady } from '../redis/connection/redisClient.ts';
import { readSharedTime } from '../redis/state/sharedClock.ts';

/** Where `start` leaves the addresses of its stores for the other commands on the same data directory. */
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

interface OpenStores {
  env: Env;
  pool: Pool;
  redis: Redis;
}

/** What a command that ends by itself begins with. */
export async function openCommand(role: string): Promise<{ env: Env; log: Log; urls: StoreUrls }> {
  const env = readEnv();
  return { env, log: createLog(role, env.logLevel), urls: await storeUrls(env) };
}

/** For a command that ends by itself: both stores, PostgreSQL brought to this version, closed afterwards. */
export async function withStores<T>(role: string, work: (stores: OpenStores) => Promise<T>): Promise<T> {
  const { env, log, urls } = await openCommand(role);
  return withBoth(urls, log, async (pool, redis) => {
    await migrate(pool, systemClock.now(), log);
    return work({ env, pool, redis });
  });
}

/** The same for a command that needs PostgreSQL alone, so it works while Redis is away. */
export async function withDatabase(
  role: string,
  work: (stores: Pick<OpenStores, 'pool'>) => Promise<void>,
): Promise<void> {
  const { log, urls } = await openCommand(role);
  await withUnlimitedPool(urls.databaseUrl, log, async (pool) => {
    await migrate(pool, systemClock.now(), log);
    await work({ pool });
  });
}

export function withBoth<T>(
  { databaseUrl, redisUrl }: StoreUrls,
  log: Log,
  work: (pool: Pool, redis: Redis) => Promise<T>,
): Promise<T> {
  return withUnlimitedPool(databaseUrl, log, (pool) =>
    withRedis(redisUrl, log, (redis) => work(pool, redis)),
  );
}

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

/** The time of the service, which the test clock may have moved. */
export async function readTime({ testClock }: Env, redis: Redis): Promise<number> {
  const now = systemClock.now();
  return testClock ? readSharedTime(redis, now) : now;
}
