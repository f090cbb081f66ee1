import type { Command } from 'commander';
import { KEPT_MONTHS_MAX } from '../base/limits.ts';
import { KEPT, type KeptHistory, readKeptMonths, writeKeptMonths } from '../db/keptMonths.ts';
import { withDatabase } from './commandStores.ts';

const NAMES: Record<KeptHistory, string> = {
  events: 'metric events',
  ranks: "users' days on leaderboards",
  streaks: 'periods of streaks',
};

export function addRetention(program: Command): void {
  const command = program.command('retention').description('show or change how long history is kept');
  for (const kept of KEPT) {
    command
      .option(
        `--keep-${kept}-months <months>`,
        `drop ${NAMES[kept]} that are older than so many whole months`,
      )
      .option(`--keep-all-${kept}`, 'drop none');
  }
  command.action(retention);
}

async function retention(options: Record<string, string | true>): Promise<void> {
  const changes = KEPT.map((kept) => ({ kept, months: readChange(kept, options) }));
  await withDatabase('retention', async ({ pool }) => {
    for (const { kept, months } of changes)
      if (months !== undefined) await writeKeptMonths(pool, kept, months);
    for (const kept of KEPT) {
      const months = await readKeptMonths(pool, kept);
      console.log(`${NAMES[kept]} are kept ${months === null ? 'for ever' : `for ${months} months`}`);
    }
  });
}

/** @returns null to drop none, undefined for no change */
function readChange(kept: KeptHistory, options: Record<string, string | true>): number | null | undefined {
  const name = kept.charAt(0).toUpperCase() + kept.slice(1);
  const [text, keepsAll] = [options[`keep${name}Months`], options[`keepAll${name}`] === true];
  if (text === undefined) return keepsAll ? null : undefined;
  const months = Number(text);
  if (!Number.isInteger(months) || months < 1 || months > KEPT_MONTHS_MAX || keepsAll) {
    throw new Error(
      `--keep-${kept}-months must be a whole number from 1 to ${KEPT_MONTHS_MAX}, without --keep-all-${kept}`,
    );
  }
  return months;
}
