import type { Redis } from 'ioredis';
import type { Env } from '../base/env.ts';
import { POSTGRES_CONNECTIONS_SERVER } from '../base/limits.ts';
import type { Log } from '../base/log.ts';
import { closePool, createPool, type Pool } from '../db/pool.ts';
import type { CallTimes } from '../redis/connection/callTimes.ts';
import { closeRedis, connectRedis, whenReady } from '../redis/connection/redisClient.ts';
import { startHeartbeat } from '../redis/state/processes.ts';

/** Timeout of a statement of the Admin API. */
const ADMIN_STATEMENT_MS_MAX = 3_000;
/** Timeout of a statement that reads the history. */
const HISTORY_QUERY_MS_MAX = 10_000;

export interface ConnectedStores {
  pool: Pool;
  /** For reads of history, which PostgreSQL ends when they take too long. */
  historyPool: Pool;
  redis: Redis;
  /** Events fill their own pipeline; everything else shares one per turn of the event loop. */
  eventRedis: Redis;
  close(): Promise<void>;
}

export async function connectStores(
  env: Env & { redisUrl: string; databaseUrl: string },
  log: Log,
  times: CallTimes,
): Promise<ConnectedStores> {
  const { storeWaitMs } = env;
  const connections = env.postgresConnections ?? POSTGRES_CONNECTIONS_SERVER;
  const forHistory = Math.floor(connections / 2);
  const pool = createPool(env.databaseUrl, log, {
    connectMsMax: storeWaitMs,
    connectionsMax: connections - forHistory,
    statementMsMax: ADMIN_STATEMENT_MS_MAX,
  });
  const historyPool = createPool(env.databaseUrl, log, {
    connectMsMax: storeWaitMs,
    connectionsMax: forHistory,
    statementMsMax: HISTORY_QUERY_MS_MAX,
  });
  const options = { silenceMsMax: storeWaitMs, times, waitReplicas: env.redisWaitReplicas };
  const eventRedis = connectRedis(env.redisUrl, log, options);
  const redis = connectRedis(env.redisUrl, log, options);
  await Promise.all([whenReady(eventRedis), whenReady(redis)]);
  const stopHeartbeat = startHeartbeat(redis, 'server');
  return {
    pool,
    historyPool,
    redis,
    eventRedis,
    close: async () => {
      await stopHeartbeat();
      await Promise.all([closeRedis(eventRedis), closeRedis(redis), closePool(pool), closePool(historyPool)]);
    },
  };
}
