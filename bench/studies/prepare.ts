import { applyConfig } from '../../src/admin/files/applyConfig.ts';
import { parseConfigFile } from '../../src/admin/files/readConfigFile.ts';
import { systemClock } from '../../src/base/clock.ts';
import { createLog } from '../../src/base/log.ts';
import { createDefaultTenant, DEFAULT_TENANT } from '../../src/db/configuration/loadConfig.ts';
import { fixCells } from '../../src/db/installation.ts';
import { migrate } from '../../src/db/migrate.ts';
import type { Pool } from '../../src/db/pool.ts';
import { connectRedis, whenReady } from '../../src/redis/connection/redisClient.ts';
import { readBenchConfigText } from '../benchConfig.ts';
import { CELLS } from './recorder.ts';

/**
 * Prepares empty stores as a first boot does, for measurements that run without a server.
 * @param config text of the configuration file; bench/config.yaml by default
 * @param now when the configuration is made, ms
 */
export async function prepareStores(
  pool: Pool,
  redisUrl: string,
  config?: string,
  now = systemClock.now(),
  cells = CELLS,
): Promise<void> {
  const log = createLog('bench', 'warn');
  await migrate(pool, now, log);
  await createDefaultTenant(pool, now);
  await fixCells(pool, { cells: cells.count, spread: cells.spread });
  const text = config ?? (await readBenchConfigText());
  const redis = connectRedis(redisUrl, log);
  await whenReady(redis);
  const context = { pool, redis, cells, tenant: DEFAULT_TENANT, actor: 'bench', now };
  await applyConfig(context, parseConfigFile(text, 'bench/config.yaml'));
  redis.disconnect();
}
