import type { Command } from 'commander';
import { parseInstant } from '../base/instant.ts';
import { listDead, replayDead } from '../engine/recovery/dead.ts';
import { readTime, withDatabase, withStores } from './commandStores.ts';

export function addDead(program: Command): void {
  const dead = program
    .command('dead')
    .description('outbox entries that could not be stored, and deliveries that were given up');
  dead.command('list').description('show them').action(showDead);
  dead
    .command('replay')
    .option('--since <instant>', 'only deliveries of what happened since then; all that are kept by default')
    .description('relay the entries and send the deliveries again')
    .action(replayDeadOnes);
}

async function showDead(): Promise<void> {
  await withDatabase('dead', async ({ pool }) => console.log(JSON.stringify(await listDead(pool), null, 2)));
}

async function replayDeadOnes({ since: text }: { since?: string }): Promise<void> {
  const since = text === undefined ? 0 : parseInstant(text);
  if (since === null)
    throw new Error(`--since must be an instant such as 2026-11-20T08:00:00Z, not "${text}"`);
  await withStores('dead', async ({ env, pool, redis }) => {
    console.log(JSON.stringify(await replayDead({ pool, redis }, since, await readTime(env, redis))));
  });
}
