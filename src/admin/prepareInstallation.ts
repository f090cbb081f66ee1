import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import type { Env } from '../base/env.ts';
import { newAdminKey, newId, sha256 } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import { packageRoot } from '../base/packageRoot.ts';
import { insertApiKey, listActiveApiKeys } from '../db/apiKeys.ts';
import { createDefaultTenant, DEFAULT_TENANT } from '../db/configuration.ts';
import { getFact, setFact } from '../db/installation.ts';
import { migrate } from '../db/migrate.ts';
import type { Pool } from '../db/pool.ts';
import { mustBeRestored } from '../engine/availability.ts';
import { publishPending, publishStored, type Stores } from '../engine/publishing.ts';
import { beginSharedTime, readSharedTime } from '../redis/sharedClock.ts';
import { applyConfig } from './applyConfig.ts';
import { parseConfigFile } from './configFile.ts';

const SHARDS_DEFAULT = 16;

export interface Installation {
  shards: number;
  /** The admin key that this start made, to be shown once; null if there was one already. */
  newKey: string | null;
}

/**
 * Runs at every start, and may run in several processes at once. Brings both stores to this version; the first start also fixes
 * the number of shards, makes an admin key and applies the configuration.
 * @throws Error if LAUREL_SHARDS differs from the number fixed at the first start, or if the configuration is wrong
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
  const shards = Number(await setFact(pool, 'shards', String(env.shards ?? SHARDS_DEFAULT)));
  if (env.shards !== null && env.shards !== shards) {
    throw new Error(`LAUREL_SHARDS is ${env.shards}, but this installation was made with ${shards}; it cannot change`);
  }
  const newKey = await ensureAdminKey(pool, env.adminKey, now);
  await applyFirstConfig({ pool, redis, shards }, env.configFile, now, log);
  if (await mustBeRestored(pool, redis)) {
    log.error(
      'Redis is empty or half restored, but PostgreSQL knows users: `laurel restore` brings them back; until then 503',
    );
  } else {
    await publishStored({ pool, redis, shards }, DEFAULT_TENANT, now);
    await publishPending({ pool, redis, shards }, now);
  }
  return { shards, newKey };
}

/** Sets the time of the test clock for a new installation only: time never goes back for users that exist. */
async function timeOfTestClock(pool: Pool, redis: Redis, start: number | null, machineNow: number): Promise<number> {
  const isNew = (await getFact(pool, 'shards')) === null;
  if (isNew && start !== null) await beginSharedTime(redis, start, machineNow);
  return readSharedTime(redis, machineNow);
}

async function ensureAdminKey(pool: Pool, given: string | null, now: number): Promise<string | null> {
  if (given !== null) {
    await insertAdminKey(pool, given, given.slice(0, 8), now);
    return null;
  }
  const { key, prefix } = newAdminKey();
  // If several processes start at once, the one whose prefix is stored shows its key.
  const exists = (await listActiveApiKeys(pool)).some((known) => known.kind === 'admin');
  if (exists || (await setFact(pool, 'first-admin-key', prefix)) !== prefix) return null;
  await insertAdminKey(pool, key, prefix, now);
  return key;
}

async function insertAdminKey(pool: Pool, key: string, prefix: string, now: number): Promise<void> {
  await insertApiKey(
    pool,
    { id: newId(), prefix, sha256: sha256(key), kind: 'admin', tenant: null, userId: null, role: 'admin', name: '' },
    now,
  );
}

async function applyFirstConfig(stores: Stores, configFile: string | null, now: number, log: Log): Promise<void> {
  const { pool } = stores;
  if ((await getFact(pool, 'configured')) !== null) return;
  if (configFile !== 'none') {
    const path = configFile ?? join(packageRoot(), 'demo', 'config.yaml');
    const file = parseConfigFile(await readFile(path, 'utf8'), path);
    const report = await applyConfig({ ...stores, tenant: DEFAULT_TENANT, actor: 'first boot', now }, file);
    log.info({ path, created: report.created.length }, 'applied the first configuration');
  }
  await setFact(pool, 'configured', configFile ?? 'demo');
}
