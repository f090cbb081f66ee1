#!/usr/bin/env node
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { Command } from 'commander';
import { applySource } from './admin/applyConfig.ts';
import { readConfigText } from './admin/configFile.ts';
import { describeReport } from './admin/describeReport.ts';
import { prepareInstallation } from './admin/prepareInstallation.ts';
import { systemClock } from './base/clock.ts';
import { type Env, readEnv } from './base/env.ts';
import { parseInstant } from './base/instant.ts';
import { KEPT_MONTHS_MAX, STOP_MS_MAX } from './base/limits.ts';
import { createLog, type Log } from './base/log.ts';
import { packageVersion } from './base/packageRoot.ts';
import { createProgressBar } from './base/progress.ts';
import { openStartingPage } from './base/startingPage.ts';
import { startTracing, stopTracing } from './base/tracing.ts';
import { unknownVariables } from './base/unknownVariables.ts';
import { readTime, storesFile, storeUrls, withBoth, withRedis, withStores } from './commandStores.ts';
import { findActiveTenant } from './db/access/tenants.ts';
import { DEFAULT_TENANT } from './db/configuration/configuration.ts';
import { getFact } from './db/installation.ts';
import { migrate } from './db/migrate.ts';
import { withUnlimitedPool } from './db/pool.ts';
import { readKeptMonths, writeKeptMonths } from './db/retention.ts';
import { exitWithParent, reportReady } from './embedded/child.ts';
import { openInBrowser } from './embedded/openInBrowser.ts';
import { supervise } from './embedded/supervisor.ts';
import { showWelcome } from './embedded/welcome.ts';
import { acceptGap } from './engine/acceptGap.ts';
import { listDead, replayDead } from './engine/dead.ts';
import { loadUws } from './http/uws.ts';
import { createConsoleLink } from './redis/consoleLinks.ts';
import { unsafeSettings } from './redis/safety.ts';
import { listFaults, replay } from './replay/replay.ts';
import { ServiceClient } from './replay/serviceClient.ts';
import { restore } from './restore/restore.ts';
import { startServer } from './serverRole.ts';
import { readDemand, type SizingOptions } from './sizing/demand.ts';
import { describeSizing } from './sizing/describe.ts';
import { sizeFor } from './sizing/sizing.ts';

/** The first process of a container ignores signals without a handler. Until there is something to stop, it ends at once. */
const endAtOnce = (signal: NodeJS.Signals): void => process.exit(128 + constants.signals[signal]);
process.on('SIGTERM', endAtOnce).on('SIGINT', endAtOnce);

const program = new Command('laurel').description('Self-hosted gamification service');

program.command('dev').description('everything on this machine: Redis, PostgreSQL, server and worker').action(dev);
program.command('server').description('one API server (REDIS_URL, DATABASE_URL)').action(server);
program.command('worker').description('one worker (REDIS_URL, DATABASE_URL)').action(worker);
program.command('migrate').description('bring PostgreSQL to this version').action(migrateOnly);
program
  .command('apply')
  .argument('<file>', 'YAML or JSON')
  .option('--tenant <id>', "your own id of a tenant; else the account's configuration")
  .option('--dry-run', 'change nothing, but show what would change')
  .option('--prune', 'also delete what listed sections of the file do not list')
  .option('--adopt-as <id>', 'with multiTenancy: id of the tenant that the users of the account will belong to')
  .description('apply a configuration file')
  .action(apply);

program
  .command('restore')
  .option('--replace', 'remove what laurel keeps in Redis first')
  .description('fill a lost Redis from PostgreSQL')
  .action(restoreRedis);

program
  .command('replay')
  .argument('<file>', 'one event a line, in JSON, in the order in which they happened')
  .option('--url <url>', 'of the service, which needs LAUREL_TEST_CLOCK; else http://localhost:PORT')
  .option('--tenant <id>', 'your own id of a tenant')
  .description('let a history happen on a running service, by the test clock (LAUREL_ADMIN_KEY)')
  .action(replayHistory);

program
  .command('retention')
  .option('--keep-events-months <months>', 'drop metric events that are older than so many whole months')
  .option('--keep-all-events', 'drop none')
  .description('show or change how long metric events are kept')
  .action(retention);

program
  .command('accept-gap')
  .description('let relays go on although PostgreSQL was restored and lacks history that Redis no longer has')
  .action(acceptGapInHistory);

program
  .command('sizing')
  .requiredOption('--events-per-second <events>', 'at the peak')
  .requiredOption('--users <users>', 'in all')
  .option('--events-per-day <events>', 'of an ordinary day; else the peak for a third of the day')
  .option('--keys-per-event <share>', 'share of the events that have an idempotency key, 0 to 1', '1')
  .option('--key-days <days>', 'for which Redis keeps idempotency keys', '365')
  .option('--json', 'answer as JSON')
  .description('compute the size of the machines for a load')
  .action(showSizing);

const dead = program
  .command('dead')
  .description('outbox entries that could not be stored, and deliveries that were given up');
dead.command('list').description('show them').action(showDead);
dead
  .command('replay')
  .option('--since <instant>', 'only deliveries of what happened since then; all that are kept by default')
  .description('relay the entries and send the deliveries again')
  .action(replayDeadOnes);

program.parseAsync().catch((error: Error) => {
  process.stderr.write(`laurel: ${error.message}\n`);
  process.exit(1);
});

async function dev(): Promise<void> {
  loadUws();
  const env = readEnv();
  const log = createLog('supervisor', env.logLevel);
  let newKey: string | null = null;
  let link = '';
  // The supervisor handles signals from the beginning.
  process.off('SIGTERM', endAtOnce).off('SIGINT', endAtOnce);
  await supervise({
    env,
    log,
    prepare: async (urls) => {
      await mkdir(env.dataDir, { recursive: true });
      await writeFile(storesFile(env), JSON.stringify(urls), { mode: 0o600 });
      await withBoth(urls, log, async (pool, redis) => {
        ({ newKey } = await prepareInstallation(pool, redis, env, systemClock.now(), log));
        link = await createConsoleLink(redis);
      });
    },
    onReady: async ({ url }) => {
      const consoleUrl = `${url}/console#link=${link}`;
      showWelcome(url!, consoleUrl, newKey, env.adminKey !== null);
      await openInBrowser(consoleUrl, env.dataDir);
    },
  });
}

async function server(): Promise<void> {
  loadUws();
  const env = readEnv();
  const log = createLog('server', env.logLevel);
  for (const message of unknownVariables()) log.warn(message);
  const page = await openStartingPage(env.host, env.port);
  const urls = await storeUrls(env);
  await checkRedis(urls.redisUrl, env, log);
  await startTracing(env, 'server', packageVersion());
  const running = await startServer({ ...env, ...urls }, log, page);
  stopOn(
    () =>
      running
        .drain()
        .then(() => running.stop())
        .then(stopTracing),
    log,
  );
  log.info({ url: running.url }, 'listening');
  reportReady({ url: running.url });
}

async function worker(): Promise<void> {
  const env = readEnv();
  const log = createLog('worker', env.logLevel);
  for (const message of unknownVariables()) log.warn(message);
  const { startWorker } = await import('../workers/main.ts');
  const page = await openStartingPage(env.host, env.workerPort);
  const urls = await storeUrls(env);
  await checkRedis(urls.redisUrl, env, log);
  await startTracing(env, 'worker', packageVersion());
  const running = await startWorker({ ...env, ...urls }, log, page);
  stopOn(() => running.stop().then(stopTracing), log);
  reportReady();
}

/** @throws Error if Redis can lose what was answered, unless the environment allows it */
async function checkRedis(redisUrl: string, { allowUnsafeRedis }: Env, log: Log): Promise<void> {
  const faults = await withRedis(redisUrl, log, unsafeSettings);
  if (faults.length > 0 && !allowUnsafeRedis) {
    throw new Error(
      `${faults.join('; ')}. Change the settings, or set LAUREL_ALLOW_UNSAFE_REDIS=1 to start all the same`,
    );
  }
  for (const fault of faults) log.warn(fault);
}

async function migrateOnly(): Promise<void> {
  const env = readEnv();
  const log = createLog('migrate', env.logLevel);
  const { databaseUrl } = await storeUrls(env);
  const applied = await withUnlimitedPool(databaseUrl, log, (pool) => migrate(pool, systemClock.now(), log));
  console.log(applied.length === 0 ? 'nothing to migrate' : `applied ${applied.join(', ')}`);
}

interface ApplyCommand {
  tenant?: string;
  dryRun?: boolean;
  prune?: boolean;
  adoptAs?: string;
}

async function apply(
  file: string,
  { tenant: customerId, dryRun = false, prune = false, adoptAs }: ApplyCommand,
): Promise<void> {
  await withStores('apply', async ({ env, pool, redis }) => {
    const cells = await getFact(pool, 'cells');
    if (cells === null) throw new Error('this installation has not been started yet; start a server first');
    const tenant = customerId === undefined ? DEFAULT_TENANT : await findActiveTenant(pool, customerId);
    if (tenant === null) throw new Error(`${customerId} does not name an active tenant`);
    const now = await readTime(env, redis);
    const source = readConfigText(await readFile(file, 'utf8'), file);
    const context = { pool, redis, cells: Number(cells), tenant, actor: 'laurel apply', now };
    const report = await applySource(context, source, { dryRun, prune, adoptAs });
    console.log(dryRun ? describeReport(report, hasColors()) : JSON.stringify(report, null, 2));
  });
}

function hasColors(): boolean {
  return process.stdout.isTTY === true && !process.env.NO_COLOR;
}

async function restoreRedis({ replace = false }: { replace?: boolean }): Promise<void> {
  await withStores('restore', async ({ pool, redis, env: { testClock, testClockStart } }) => {
    const progress = createProgressBar();
    const now = systemClock.now();
    const restored = await restore({ pool, redis, progress, now, replace, testClock, testClockStart });
    console.log(`restored ${restored.users} users and ${restored.fingerprints} idempotency keys`);
  });
}

async function replayHistory(file: string, { url, tenant }: { url?: string; tenant?: string }): Promise<void> {
  const { adminKey, port } = readEnv();
  if (adminKey === null) throw new Error('LAUREL_ADMIN_KEY must be set to an admin key of the service');
  const service = new ServiceClient({ url: url ?? `http://localhost:${port}`, key: adminKey, tenant: tenant ?? null });
  const { sent, before, refused, now } = await replay(file, service, createProgressBar());
  if (refused.length > 0) console.log(`the service refused ${refused.length} events:\n${listFaults(refused)}`);
  const earlier = before > 0 ? `, ${before} had been before` : '';
  console.log(`replayed ${sent} events${earlier}; time stands still at ${new Date(now).toISOString()}`);
}

async function retention(change: { keepEventsMonths?: string; keepAllEvents?: boolean }): Promise<void> {
  const { keepEventsMonths: text, keepAllEvents = false } = change;
  const months = text === undefined ? null : Number(text);
  if (months !== null && (!Number.isInteger(months) || months < 1 || months > KEPT_MONTHS_MAX || keepAllEvents)) {
    throw new Error(
      `--keep-events-months must be a whole number from 1 to ${KEPT_MONTHS_MAX}, without --keep-all-events`,
    );
  }
  await withStores('retention', async ({ pool }) => {
    if (months !== null || keepAllEvents) await writeKeptMonths(pool, months);
    const kept = await readKeptMonths(pool);
    console.log(kept === null ? 'metric events are kept for ever' : `metric events are kept for ${kept} months`);
  });
}

async function acceptGapInHistory(): Promise<void> {
  await withStores('accept-gap', async ({ pool, redis }) => {
    await acceptGap({ pool, redis, cells: Number(await getFact(pool, 'cells')) });
    console.log('relays go on; what is missing in PostgreSQL stays missing');
  });
}

function showSizing({ json = false, ...options }: SizingOptions & { json?: boolean }): void {
  const sizing = sizeFor(readDemand(options));
  console.log(json ? JSON.stringify(sizing, null, 2) : describeSizing(sizing));
}

async function showDead(): Promise<void> {
  await withStores('dead', async ({ pool }) => console.log(JSON.stringify(await listDead(pool), null, 2)));
}

async function replayDeadOnes({ since: text }: { since?: string }): Promise<void> {
  const since = text === undefined ? 0 : parseInstant(text);
  if (since === null) throw new Error(`--since must be an instant such as 2026-11-20T08:00:00Z, not "${text}"`);
  await withStores('dead', async ({ env, pool, redis }) => {
    console.log(JSON.stringify(await replayDead({ pool, redis }, since, await readTime(env, redis))));
  });
}

/**
 * Ends the process in order, once, on SIGTERM, SIGINT or when the supervisor has gone. A store that hangs cannot hold it up:
 * what is not finished in time is left as after a crash, which loses nothing.
 */
function stopOn(stop: () => Promise<void>, log: Log): void {
  let stopping = false;
  const shutdown = (): void => {
    if (stopping) return;
    stopping = true;
    setTimeout(() => {
      log.warn(`stopped after ${STOP_MS_MAX} ms with work unfinished`);
      process.exit(1);
    }, STOP_MS_MAX).unref();
    stop().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.off('SIGTERM', endAtOnce).on('SIGTERM', shutdown);
  process.off('SIGINT', endAtOnce).on('SIGINT', shutdown);
  exitWithParent(shutdown);
}
