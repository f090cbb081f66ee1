import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { assertSameCells, type Cells } from '../../base/cells.ts';
import type { Env } from '../../base/env.ts';
import { newAdminKey, newId, sha256 } from '../../base/ids.ts';
import type { Log } from '../../base/log.ts';
import { packageRoot } from '../../base/packageRoot.ts';
import { readTextFile } from '../../base/readTextFile.ts';
import type { ConfigFile } from '../../contract/configured/configFile.ts';
import { insertApiKey, listAcceptedKeys } from '../../db/access/apiKeyRows.ts';
import { createDefaultTenant, DEFAULT_TENANT } from '../../db/configuration/loadConfig.ts';
import { fixCells, readOnce, setOnce } from '../../db/installation.ts';
import { migrate } from '../../db/migrate.ts';
import type { Pool } from '../../db/pool.ts';
import { publishPending, publishStored } from '../../engine/configuration/publishing.ts';
import { mustBeRestored } from '../../engine/stores/availability.ts';
import type { Stores } from '../../engine/stores/stores.ts';
import { beginSharedTime, readSharedTime } from '../../redis/state/sharedClock.ts';
import { applyConfig } from '../files/applyConfig.ts';
import { resolveSecrets } from '../files/fileSecrets.ts';
import { readConfigText, withoutFaults } from '../files/readConfigFile.ts';

const LOST =
  'Redis is empty or half restored, but PostgreSQL knows users: `laurel restore` brings them back; until then 503';

export interface Installation {
  cells: Cells;
  /** The admin key that this start made, to be shown once; null if there was one already. */
  newKey: string | null;
}

/**
 * Runs at every start, and may run in several processes at once. Brings both stores to this version; the
 * first start also fixes the cells, makes an admin key and applies the configuration.
 * @throws Error if LAUREL_CELLS or LAUREL_SPREAD differs from the number fixed at the first start, or if the
 * configuration is wrong
 */
export async function prepareInstallation(
  pool: Pool,
  redis: Redis,
  env: Env,
  machineNow: number,
  log: Log,
): Promise<Installation> {
  await migrate(pool, machineNow, log);
  const now = env.testClock ? await timeOfTestClock(pool, redis, env.testClockStart, machineNow) : machineNow;
  await createDefaultTenant(pool, now);
  const cells = await fixCells(pool, env);
  assertSameCells(env, cells);
  const newKey = await ensureAdminKey(pool, env.adminKey, now);
  const stores = { pool, redis, cells };
  await applyFirstConfig(stores, env.configFile, now, log);
  if (await mustBeRestored(stores)) {
    log.error(LOST);
  } else {
    await publishStored(stores, DEFAULT_TENANT, now);
    await publishPending(stores, now);
  }
  return { cells, newKey };
}

/** Sets the time of the test clock for a new installation only: time never goes back for users that exist. */
async function timeOfTestClock(
  pool: Pool,
  redis: Redis,
  start: number | null,
  machineNow: number,
): Promise<number> {
  const isNew = (await readOnce(pool, 'configured')) === null;
  if (isNew && start !== null) await beginSharedTime(redis, start, machineNow);
  return readSharedTime(redis, machineNow);
}

async function ensureAdminKey(pool: Pool, given: string | null, now: number): Promise<string | null> {
  if (given !== null) {
    await insertAdminKey(pool, { key: given, prefix: given.slice(0, 8), name: 'LAUREL_ADMIN_KEY' }, now);
    return null;
  }
  const { key, prefix } = newAdminKey();
  // If several processes start at once, the one whose prefix is stored shows its key.
  const exists = (await listAcceptedKeys(pool)).some((known) => known.kind === 'admin');
  if (exists || (await setOnce(pool, 'first-admin-key', prefix)) !== prefix) return null;
  await insertAdminKey(pool, { key, prefix, name: 'First start' }, now);
  return key;
}

interface FirstKey {
  key: string;
  prefix: string;
  name: string;
}

async function insertAdminKey(pool: Pool, { key, ...shown }: FirstKey, now: number): Promise<void> {
  const stored = { id: newId(), ...shown, sha256: sha256(key), tenant: null, userId: null } as const;
  await insertApiKey(pool, { ...stored, kind: 'admin', role: 'admin' }, now);
}

/**
 * What the first start applies; null for nothing.
 * @throws Error if the file cannot be read, or does not have the form of a configuration
 */
export async function readFirstConfig(
  configFile: string | null,
): Promise<{ path: string; file: ConfigFile } | null> {
  if (configFile === 'none') return null;
  const path = configFile ?? join(packageRoot(), 'demo', 'config.yaml');
  const text = await readTextFile(path).catch((error: Error) => {
    throw new Error(`LAUREL_CONFIG: ${error.message}`, { cause: error });
  });
  const source = readConfigText(text, path);
  return { path, file: withoutFaults(resolveSecrets(source, process.env)) };
}

async function applyFirstConfig(
  stores: Stores,
  configFile: string | null,
  now: number,
  log: Log,
): Promise<void> {
  const { pool } = stores;
  if ((await readOnce(pool, 'configured')) !== null) return;
  const first = await readFirstConfig(configFile);
  if (first !== null) {
    const context = { ...stores, tenant: DEFAULT_TENANT, actor: 'first boot', now };
    const report = await applyConfig(context, first.file);
    log.info({ path: first.path, created: report.created.length }, 'applied the first configuration');
  }
  await setOnce(pool, 'configured', configFile ?? 'demo');
}
