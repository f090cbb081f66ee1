import type { Command } from 'commander';
import { backUp, restoreBackup, verifyBackup } from '../backup/backup.ts';
import { systemClock } from '../base/clock.ts';
import { createProgressBar } from '../base/progress.ts';
import { hasSnapshots } from '../db/history/snapshotRows.ts';
import { readCells } from '../db/installation.ts';
import { requireRestore } from '../engine/recovery/compareReceipts.ts';
import { restore } from '../restore/restore.ts';
import { withDatabase, withStores } from './commandStores.ts';

export function addBackup(program: Command): void {
  program
    .command('backup')
    .argument('<file>', 'a new file')
    .description('write everything that PostgreSQL holds to a file, while servers and workers go on')
    .action(writeBackup);
  program
    .command('restore-backup')
    .argument('<file>', 'that `laurel backup` has written')
    .option('--replace', 'remove what PostgreSQL and Redis hold')
    .description('fill PostgreSQL from a backup, and Redis from PostgreSQL')
    .action(restoreFromBackup);
}

async function writeBackup(file: string): Promise<void> {
  await withDatabase('backup', async ({ pool }) => {
    const rows = await backUp(pool, file, createProgressBar());
    console.log(`wrote ${rows} rows to ${file}`);
  });
}

async function restoreFromBackup(file: string, { replace = false }: { replace?: boolean }): Promise<void> {
  await withStores('restore-backup', async ({ pool, redis, env: { testClock, testClockStart } }) => {
    if (!replace && (await hasSnapshots(pool)))
      throw new Error('PostgreSQL has users; --replace removes what PostgreSQL and Redis hold');
    const rows = await verifyBackup(pool, file);
    const progress = createProgressBar();
    // From now on servers change nothing, until Redis is restored.
    const cells = await readCells(pool);
    if (cells !== null) await requireRestore({ pool, redis, cells });
    progress.begin('rows', rows);
    await restoreBackup(pool, file, progress);
    progress.end();
    const now = systemClock.now();
    const { users } = await restore({ pool, redis, progress, now, replace: true, testClock, testClockStart });
    console.log(`restored ${rows} rows and ${users} users; now restart servers and workers`);
  });
}
