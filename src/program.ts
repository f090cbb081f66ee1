import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { Command } from 'commander';
import { prepareInstallation, readFirstConfig } from './admin/installation/prepareInstallation.ts';
import { type SampleEvent, sampleEvent } from './admin/installation/sampleEvent.ts';
import { systemClock } from './base/clock.ts';
import { type Env, readEnv, unknownVariables } from './base/env.ts';
import { STOP_MS_MAX } from './base/limits.ts';
import { createLog, type Log } from './base/log.ts';
import { packageVersion } from './base/packageRoot.ts';
import { openStartingPage } from './base/startingPage.ts';
import { startTracing } from './base/tracing.ts';
import { addApply } from './commands/applyCommand.ts';
import { addImport, addReplay, addTypes } from './commands/serviceCommands.ts';
import {
  addBackup,
  addCheck,
  addDead,
  addMigrate,
  addRestore,
  addRetention,
} from './commands/storeCommands.ts';
import { storesFile, storeUrls, withRedis } from './commands/stores/commandStores.ts';
import { DEFAULT_TENANT, loadConfig } from './db/configuration/loadConfig.ts';
import { withUnlimitedPool } from './db/pool.ts';
import { exitWithParent, reportReady } from './embedded/child.ts';
import { supervise } from './embedded/supervisor.ts';
import { openInBrowser, showStart, showWelcome } from './embedded/welcome.ts';
import { loadUws } from './http/uws.ts';
import { unsafeSettings } from './redis/connection/safety.ts';
import { startStep } from './redis/connection/startStep.ts';
import { createConsoleLink } from './redis/state/consoleLinks.ts';

/**
 * The first process of a container ignores signals without a handler. Until there is something to stop, it
 * ends at once.
 */
const endAtOnce = (signal: NodeJS.Signals): void => process.exit(128 + constants.signals[signal]);
process.on('SIGTERM', endAtOnce).on('SIGINT', endAtOnce);

const HELP = `
Variables such as PORT, LAUREL_DATA_DIR, LAUREL_CONFIG and LAUREL_ADMIN_KEY: docs/operations.md
A running laurel has its documentation under /docs.`;

const program = new Command('laurel')
  .description('Self-hosted gamification service. Without a command it starts everything on this machine.')
  .version(packageVersion())
  .addHelpText('after', HELP)
  .showHelpAfterError('(`laurel help` lists all commands)');

program
  .command('start')
  .description('run Redis, PostgreSQL, a server and a worker on this machine until Ctrl-C')
  .action(start);
program.command('server').description('run an API server (REDIS_URL, DATABASE_URL)').action(server);
program.command('worker').description('run a worker (REDIS_URL, DATABASE_URL)').action(worker);
const COMMANDS = [
  addMigrate,
  addApply,
  addCheck,
  addBackup,
  addRestore,
  addReplay,
  addImport,
  addRetention,
  addDead,
  addTypes,
];
for (const add of COMMANDS) add(program);

// `npx laurel` starts everything.
const args = process.argv.slice(2);
program.parseAsync(args.length === 0 ? ['start'] : args, { from: 'user' }).catch((error: Error) => {
  process.stderr.write(`laurel: ${error.message}\n`);
  process.exit(1);
});

async function start(): Promise<void> {
  loadUws();
  const env = readEnv();
  const log = createLog('supervisor', env.logLevel);
  let newKey: string | null = null;
  let link = '';
  let sample: SampleEvent | null = null;
  showStart(packageVersion(), env.dataDir);
  // A mistake in the first configuration is found before stores are made.
  if (!existsSync(storesFile(env))) await readFirstConfig(env.configFile);
  // The supervisor handles signals from the beginning.
  process.off('SIGTERM', endAtOnce).off('SIGINT', endAtOnce);
  await supervise({
    env,
    log,
    prepare: async (urls) => {
      await mkdir(env.dataDir, { recursive: true });
      await writeFile(storesFile(env), JSON.stringify(urls), { mode: 0o600 });
      await withUnlimitedPool(urls.databaseUrl, log, (pool) =>
        withRedis(urls.redisUrl, log, async (redis) => {
          ({ newKey } = await prepareInstallation(pool, redis, env, systemClock.now(), log));
          link = await createConsoleLink(redis);
          sample = sampleEvent(await loadConfig(pool, DEFAULT_TENANT));
        }),
      );
    },
    onReady: async ({ url }) => {
      const consoleUrl = `${url}/console#link=${link}`;
      showWelcome({ url: url!, consoleUrl, newKey, hasOwnKey: env.adminKey !== null, sample });
      await openInBrowser(consoleUrl, env.dataDir);
    },
  });
}

async function server(): Promise<void> {
  loadUws();
  const env = readEnv();
  const log = createLog('server', env.logLevel);
  for (const message of unknownVariables()) log.warn(message);
  const { startServer } = await import('./server/startServer.ts');
  const page = await openStartingPage(env.host, env.port);
  const urls = await storeUrls(env);
  await checkRedis(urls.redisUrl, env, log);
  const tracing = await startTracing(env, 'server', packageVersion());
  const running = await startServer({ ...env, ...urls }, log, { page, tracing });
  stopOn(
    () =>
      running
        .drain()
        .then(() => running.stop())
        .then(() => tracing?.stop()),
    log,
  );
  log.info({ url: running.url }, 'listening');
  reportReady({ url: running.url });
}

async function worker(): Promise<void> {
  const env = readEnv();
  const log = createLog('worker', env.logLevel);
  for (const message of unknownVariables()) log.warn(message);
  const { startWorker } = await import('../workers/start/startWorker.ts');
  const page = await openStartingPage(env.host, env.workerPort);
  const urls = await storeUrls(env);
  await checkRedis(urls.redisUrl, env, log);
  const tracing = await startTracing(env, 'worker', packageVersion());
  const running = await startWorker({ ...env, ...urls }, log, { page, tracing });
  stopOn(() => running.stop().then(() => tracing?.stop()), log);
  reportReady();
}

/** @throws Error if Redis can lose what was answered, unless the environment allows it */
async function checkRedis(redisUrl: string, { allowUnsafeRedis }: Env, log: Log): Promise<void> {
  const faults = await withRedis(redisUrl, log, (redis) =>
    startStep(redis, log, () => unsafeSettings(redis)),
  );
  if (faults.length > 0 && !allowUnsafeRedis) {
    throw new Error(
      `${faults.join('; ')}. Change the settings, or set LAUREL_ALLOW_UNSAFE_REDIS=1 to start anyway`,
    );
  }
  for (const fault of faults) log.warn(fault);
}

/**
 * Ends the process in order, once, on SIGTERM, SIGINT or when the supervisor has gone. A store that hangs
 * cannot hold it up: what is not finished in time is left as after a crash, which loses nothing.
 */
function stopOn(stop: () => Promise<void>, log: Log): void {
  let stopping = false;
  const shutdown = (): void => {
    if (stopping) return;
    stopping = true;
    setTimeout(() => {
      log.warn(`stopped after ${STOP_MS_MAX} ms with unfinished work`);
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
