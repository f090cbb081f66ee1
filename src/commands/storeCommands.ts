import type { Command } from 'commander';
import { systemClock } from '../base/clock.ts';
import { parseInstant } from '../base/instant.ts';
import { createProgressBar, noProgress } from '../base/progress.ts';
import { hasSnapshots } from '../db/history/snapshotRows.ts';
import { KEPT, type KeptHistory, readCells, readKeptMonths, writeKeptMonths } from '../db/installation.ts';
import { acceptGap, requireRestore } from '../engine/recovery/compareReceipts.ts';
import { listDead, replayDead } from '../engine/recovery/dead.ts';
import { backUp, restoreBackup, verifyBackup } from './backup/backup.ts';
import { type CheckReport, check } from './check/check.ts';
import { restore } from './restore/restore.ts';
import { fixedCells, readTime, withDatabase, withStores } from './stores/commandStores.ts';

/* Commands that read or change the stores of an installation. */

export function addMigrate(program: Command): void {
  program
    .command('migrate')
    .description('migrate PostgreSQL to this version')
    .action(() =>
      withDatabase('migrate', async ({ applied }) =>
        console.log(applied.length === 0 ? 'nothing to migrate' : `applied ${applied.join(', ')}`),
      ),
    );
}

export function addCheck(program: Command): void {
  program
    .command('check')
    .option('--all', 'compare every user and ranking instead of a sample of each tenant')
    .option('--json', 'print the report as JSON')
    .description('compare Redis with PostgreSQL and list differences; exit code 1 if there are any')
    .action(checkStores);
}

async function checkStores({ all = false, json = false }: { all?: boolean; json?: boolean }): Promise<void> {
  const report = await withStores('check', ({ pool, redis }) =>
    check({ pool, redis, all, progress: json ? noProgress : createProgressBar() }),
  );
  console.log(json ? JSON.stringify(report, null, 2) : describeCheck(report));
  if (Object.keys(report.counts).length > 0) process.exitCode = 1;
}

function describeCheck({ users, rankings, unsettled, counts, differences }: CheckReport): string {
  const lines = differences.map(({ kind, tenant, userId, text }) => {
    const user = userId === null ? '' : ` user ${JSON.stringify(userId)}`;
    return `${kind}:${tenant === null ? '' : ` tenant ${tenant}`}${user} ${text}`;
  });
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  if (total > differences.length) lines.push(`… and ${total - differences.length} more`);
  const skipped = unsettled === 0 ? '' : `, ${unsettled} more changed too often to be compared`;
  lines.push(`compared ${users - unsettled} users and ${rankings} rankings${skipped}: ${total} differences`);
  return lines.join('\n');
}

export function addBackup(program: Command): void {
  program
    .command('backup')
    .argument('<file>', 'a new file')
    .description('write the content of PostgreSQL to a file, while servers and workers run')
    .action((file: string) =>
      withDatabase('backup', async ({ pool }) => {
        const rows = await backUp(pool, file, createProgressBar());
        console.log(`wrote ${rows} rows to ${file}`);
      }),
    );
  program
    .command('restore-backup')
    .argument('<file>', 'file written by `laurel backup`')
    .option('--replace', 'remove the content of PostgreSQL and Redis first')
    .description('restore PostgreSQL from a backup, and Redis from PostgreSQL')
    .action(restoreFromBackup);
}

async function restoreFromBackup(file: string, { replace = false }: { replace?: boolean }): Promise<void> {
  await withStores('restore-backup', async ({ pool, redis, env: { testClock, testClockStart } }) => {
    if (!replace && (await hasSnapshots(pool)))
      throw new Error('PostgreSQL contains users; --replace removes the content of PostgreSQL and Redis');
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

export function addRestore(program: Command): void {
  program
    .command('restore')
    .option('--replace', "remove laurel's keys from Redis first")
    .description('restore Redis from PostgreSQL')
    .action(({ replace = false }: { replace?: boolean }) =>
      withStores('restore', async ({ pool, redis, env: { testClock, testClockStart, spread } }) => {
        const [progress, now] = [createProgressBar(), systemClock.now()];
        const clock = { testClock, testClockStart };
        const { users } = await restore({ pool, redis, progress, now, replace, spread, ...clock });
        console.log(
          `restored ${users} users; idempotency keys are looked up in PostgreSQL until a worker has read them`,
        );
      }),
    );
  program
    .command('accept-gap')
    .description(
      'let relays continue after a restore of PostgreSQL whose missing history Redis no longer has',
    )
    .action(() =>
      withStores('accept-gap', async ({ pool, redis }) => {
        await acceptGap({ pool, redis, cells: await fixedCells(pool) });
        console.log('relays continue; the missing history stays missing in PostgreSQL');
      }),
    );
}

const KEPT_MONTHS_MAX = 1_200;

const NAMES: Record<KeptHistory, string> = {
  events: 'metric events',
  ranks: "users' days on leaderboards",
  streaks: 'periods of streaks',
};

export function addRetention(program: Command): void {
  const command = program.command('retention').description('show or change how long history is kept');
  for (const kept of KEPT) {
    command
      .option(`--keep-${kept}-months <months>`, `drop ${NAMES[kept]} older than this number of whole months`)
      .option(`--keep-all-${kept}`, `keep all ${NAMES[kept]}`);
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

export function addDead(program: Command): void {
  const dead = program
    .command('dead')
    .description('outbox entries that could not be stored, and deliveries that have failed');
  dead
    .command('list')
    .description('list them')
    .action(() =>
      withDatabase('dead', async ({ pool }) => console.log(JSON.stringify(await listDead(pool), null, 2))),
    );
  dead
    .command('replay')
    .option('--since <instant>', 'only deliveries about changes since this instant; all by default')
    .description('relay the entries and send the deliveries again')
    .action(replayDeadOnes);
}

async function replayDeadOnes({ since: text }: { since?: string }): Promise<void> {
  const since = text === undefined ? 0 : parseInstant(text);
  if (since === null)
    throw new Error(`--since must be an instant such as 2026-11-20T08:00:00Z, not "${text}"`);
  await withStores('dead', async ({ pool, redis }) => {
    console.log(JSON.stringify(await replayDead({ pool, redis }, since, await readTime(redis))));
  });
}
