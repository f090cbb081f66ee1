import { applyConfig } from '../../src/admin/files/applyConfig.ts';
import { parseConfigFile } from '../../src/admin/files/readConfigFile.ts';
import type { Cells } from '../../src/base/cells.ts';
import { systemClock } from '../../src/base/clock.ts';
import { createLog } from '../../src/base/log.ts';
import type { ConfigFile } from '../../src/contract/configured/configFile.ts';
import { createDefaultTenant, DEFAULT_TENANT, loadConfig } from '../../src/db/configuration/loadConfig.ts';
import { fixCells, setOnce } from '../../src/db/installation.ts';
import { migrate } from '../../src/db/migrate.ts';
import type { Pool } from '../../src/db/pool.ts';
import { connectRedis, whenReady } from '../../src/redis/connection/redisClient.ts';
import type { Config } from '../../src/rules/config.ts';
import { readBenchConfigText } from '../benchConfig.ts';
import { CELLS } from './recorder.ts';

/**
 * Prepares empty stores as a first boot does, for measurements that run without a server.
 * @param config text of the configuration file; bench/config.yaml by default
 * @param now when the configuration is made, ms
 * @returns the configuration as it is stored
 */
export async function prepareStores(
  pool: Pool,
  redisUrl: string,
  config?: string,
  now = systemClock.now(),
  cells = CELLS,
): Promise<Config> {
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
  return loadConfig(pool, DEFAULT_TENANT);
}

/** The same for measurements with servers or workers, which then apply no configuration of their own. */
export async function prepareService(
  pool: Pool,
  redisUrl: string,
  file: ConfigFile,
  now?: number,
  cells?: Cells,
): Promise<Config> {
  const config = await prepareStores(pool, redisUrl, JSON.stringify(file), now, cells);
  await setOnce(pool, 'configured', 'bench');
  return config;
}
