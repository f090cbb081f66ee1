import type { Command } from 'commander';
import { systemClock } from '../base/clock.ts';
import { readEnv } from '../base/env.ts';
import { createLog } from '../base/log.ts';
import { migrate } from '../db/migrate.ts';
import { withUnlimitedPool } from '../db/pool.ts';
import { storeUrls } from './stores.ts';

export function addMigrate(program: Command): void {
  program.command('migrate').description('bring PostgreSQL to this version').action(migrateOnly);
}

async function migrateOnly(): Promise<void> {
  const env = readEnv();
  const log = createLog('migrate', env.logLevel);
  const { databaseUrl } = await storeUrls(env);
  const applied = await withUnlimitedPool(databaseUrl, log, (pool) => migrate(pool, systemClock.now(), log));
  console.log(applied.length === 0 ? 'nothing to migrate' : `applied ${applied.join(', ')}`);
}
