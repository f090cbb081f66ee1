import type { Command } from 'commander';
import { KEPT_MONTHS_MAX } from '../base/limits.ts';
import { readKeptMonths, writeKeptMonths } from '../db/dropOldEvents.ts';
import { withDatabase } from './commandStores.ts';

export function addRetention(program: Command): void {
  program
    .command('retention')
    .option('--keep-events-months <months>', 'drop metric events that are older than so many whole months')
    .option('--keep-all-events', 'drop none')
    .description('show or change how long metric events are kept')
    .action(retention);
}

async function retention(change: { keepEventsMonths?: string; keepAllEvents?: boolean }): Promise<void> {
  const { keepEventsMonths: text, keepAllEvents = false } = change;
  const months = text === undefined ? null : Number(text);
  if (months !== null && (!Number.isInteger(months) || months < 1 || months > KEPT_MONTHS_MAX || keepAllEvents)) {
    throw new Error(
      `--keep-events-months must be a whole number from 1 to ${KEPT_MONTHS_MAX}, without --keep-all-events`,
    );
  }
  await withDatabase('retention', async ({ pool }) => {
    if (months !== null || keepAllEvents) await writeKeptMonths(pool, months);
    const kept = await readKeptMonths(pool);
    console.log(kept === null ? 'metric events are kept for ever' : `metric events are kept for ${kept} months`);
  });
}
