import { createLog } from '../../src/base/log.ts';
import { DEFAULT_TENANT } from '../../src/db/configuration/loadConfig.ts';
import { readCells } from '../../src/db/installation.ts';
import { createPool } from '../../src/db/pool.ts';
import { RulesStore } from '../../src/engine/calls/rulesStore.ts';
import type { ErasureDependencies } from '../../src/engine/erasure/eraseUser.ts';
import { connectRedis, whenReady } from '../../src/redis/connection/redisClient.ts';
import { Scripts } from '../../src/redis/scripts/scripts.ts';
import type { TestServer } from './server.ts';

type OwnStores = ErasureDependencies & { rulesStore: RulesStore };

/** What a worker beside a server would erase and rename users with. The test closes it. */
export async function openOwnStores({ redisUrl, databaseUrl }: TestServer): Promise<OwnStores> {
  const log = createLog('test', 'silent');
  const redis = connectRedis(redisUrl, log);
  await whenReady(redis);
  const pool = createPool(databaseUrl, log);
  const cells = (await readCells(pool))!;
  const rulesStore = new RulesStore(redis, cells);
  await rulesStore.load(DEFAULT_TENANT);
  return { pool, redis, cells, scripts: new Scripts(redis, cells), rulesStore };
}

export async function closeOwnStores(own: OwnStores | undefined): Promise<void> {
  own?.redis.disconnect();
  await own?.pool.end();
}
