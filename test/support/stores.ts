import type { Redis } from 'ioredis';
import { afterEach, beforeEach } from 'vitest';
import { createLog } from '../../src/base/log.ts';
import { createPool, type Pool } from '../../src/db/pool.ts';
import { connectRedis, whenReady } from '../../src/redis/connection/redisClient.ts';
import { startTestServer, type TestServer } from './server.ts';

/** A server of its own for each test, with connections to its stores. */
export interface ServerWithStores {
  server: TestServer;
  pool: Pool;
  redis: Redis;
}

export function useServerWithStores(): ServerWithStores {
  const found = {} as ServerWithStores;
  const silent = createLog('test', 'silent');
  beforeEach(async () => {
    found.server = await startTestServer();
    found.pool = createPool(found.server.databaseUrl, silent);
    found.redis = connectRedis(found.server.redisUrl, silent);
    await whenReady(found.redis);
  });
  afterEach(async () => {
    found.redis?.disconnect();
    await found.pool?.end();
    await found.server?.stop();
  });
  return found;
}
