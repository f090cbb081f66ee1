import type { Command } from 'commander';
import { systemClock } from '../base/clock.ts';
import { migrate } from '../db/migrate.ts';
import { withUnlimitedPool } from '../db/pool.ts';
import { openCommand } from './commandStores.ts';

export function addMigrate(program: Command): void {
  program.command('migrate').description('bring PostgreSQL to this version').action(migrateOnly);
}

async function migrateOnly(): Promise<void> {
  const { log, urls } = await openCommand('migrate');
  const applied = await withUnlimitedPool(urls.databaseUrl, log, (pool) =>
    migrate(pool, systemClock.now(), log),
  );
  console.log(applied.length === 0 ? 'nothing to migrate' : `applied ${applied.join(', ')}`);
}
