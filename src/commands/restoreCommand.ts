import type { Command } from 'commander';
import { systemClock } from '../base/clock.ts';
import { createProgressBar } from '../base/progress.ts';
import { readCells } from '../db/installation.ts';
import { acceptGap } from '../engine/recovery/acceptGap.ts';
import { restore } from '../restore/restore.ts';
import { withStores } from './commandStores.ts';

export function addRestore(program: Command): void {
  program
    .command('restore')
    .option('--replace', 'remove what laurel keeps in Redis first')
    .description('fill a lost Redis from PostgreSQL')
    .action(restoreRedis);
  program
    .command('accept-gap')
    .description(
      'let relays go on although PostgreSQL was restored and lacks history that Redis no longer has',
    )
    .action(acceptGapInHistory);
}

async function restoreRedis({ replace = false }: { replace?: boolean }): Promise<void> {
  await withStores('restore', async ({ pool, redis, env: { testClock, testClockStart, spread } }) => {
    const progress = createProgressBar();
    const now = systemClock.now();
    const clock = { testClock, testClockStart };
    const restored = await restore({ pool, redis, progress, now, replace, spread, ...clock });
    console.log(
      `restored ${restored.users} users; PostgreSQL is asked about idempotency keys until a worker has read them`,
    );
  });
}

async function acceptGapInHistory(): Promise<void> {
  await withStores('accept-gap', async ({ pool, redis }) => {
    const cells = await readCells(pool);
    if (cells === null) throw new Error('this installation has not been started yet; start a server first');
    await acceptGap({ pool, redis, cells });
    console.log('relays go on; what is missing in PostgreSQL stays missing');
  });
}
