import { fork } from 'node:child_process';
import type { Env } from '../base/env.ts';
import type { Log } from '../base/log.ts';
import { NODE_FLAGS } from '../base/nodeFlags.ts';
import { assertPortFree } from '../base/portHolder.ts';
import { isReadyMessage, type ReadyInfo } from './child.ts';
import { type DataDir, lockDataDir, openDataDir } from './dataDir.ts';
import { type OwnedProcess, own } from './embeddedService.ts';
import { type Kept, keepRunning, type Start } from './keepRunning.ts';
import { stopOrphans } from './orphans.ts';
import { startPostgres } from './postgres.ts';
import { startRedis } from './redis.ts';
import { stopOnSignals } from './signals.ts';

/** Longest time for a role to finish its requests and jobs before it is killed. */
const DRAIN_MS_MAX = 30_000;

export interface StoreUrls {
  redisUrl: string;
  databaseUrl: string;
}

export interface SuperviseOptions {
  env: Env;
  log: Log;
  /** Called when the stores are ready, before the roles start: migrations, first configuration. */
  prepare(urls: StoreUrls): Promise<void>;
  onReady(server: ReadyInfo): void | Promise<void>;
}

interface Role extends OwnedProcess {
  info: ReadyInfo;
}

/**
 * Runs the whole service on this machine: Redis and PostgreSQL (unless `env` names others), server and
 * worker. Each is started again when it ends. Ends the process with code 0 after SIGTERM or SIGINT; a second
 * signal kills everything at once.
 * @throws Error if a first start fails; everything that had been started is stopped before
 */
export async function supervise({ env, log, prepare, onReady }: SuperviseOptions): Promise<void> {
  // By default only this machine can connect.
  const host = env.host ?? '127.0.0.1';
  await assertPortFree(host, env.port);
  const home = await openDataDir(env.dataDir);
  const unlock = await lockDataDir(home);
  const servers: Kept<OwnedProcess>[] = [];
  const workers: Kept<OwnedProcess>[] = [];
  const stores: Kept<OwnedProcess>[] = [];
  const signals = stopOnSignals(log, stop);

  function keep<T extends OwnedProcess>(
    row: Kept<OwnedProcess>[],
    name: string,
    start: Start<T>,
  ): Promise<T> {
    if (signals.received()) throw new Error(`stopped before ${name} was started`);
    const kept = keepRunning(name, log, start);
    row.push(kept);
    return kept.started;
  }

  async function stop(): Promise<void> {
    for (const row of [servers, workers, stores]) await Promise.all(row.map((kept) => kept.stop()));
    await unlock();
  }

  async function start(): Promise<ReadyInfo> {
    await stopRolesOfEarlierRun(home, log);
    const options = { dataDir: home.path, log };
    const [redisUrl, databaseUrl] = await Promise.all([
      env.redisUrl ??
        keep(stores, 'Redis', (signal) => startRedis({ ...options, signal })).then(({ url }) => url),
      env.databaseUrl ??
        keep(stores, 'PostgreSQL', (signal) => startPostgres({ ...options, signal })).then(({ url }) => url),
    ]);
    await prepare({ redisUrl, databaseUrl });
    // No load balancer has to notice that the only server stops.
    const childEnv = {
      LAUREL_DRAIN_SECONDS: '0',
      ...process.env,
      HOST: host,
      REDIS_URL: redisUrl,
      DATABASE_URL: databaseUrl,
    };
    const [server] = await Promise.all([
      keep(servers, 'server', (signal) => startRole('server', home, childEnv, signal)),
      keep(workers, 'worker', (signal) => startRole('worker', home, childEnv, signal)),
    ]);
    return server.info;
  }

  try {
    await onReady(await start());
  } catch (error) {
    // After a signal, starts fail because `stop` aborts them. Such errors are expected.
    if (!signals.received()) {
      await stop();
      signals.dispose();
      throw error;
    }
  }
  await signals.stopped;
  signals.dispose();
  process.exit(0);
}

/**
 * Roles end by themselves when their supervisor has ended, but need the stores of that run until they have
 * finished.
 */
function stopRolesOfEarlierRun({ tag }: DataDir, log: Log): Promise<void> {
  const program = /^laurel-|(^|\/)node( |$)/;
  return stopOrphans({ name: 'server and worker', program, leader: program, tag }, 'SIGTERM', log);
}

async function startRole(
  role: 'server' | 'worker',
  { tag }: DataDir,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<Role> {
  const child = fork(process.argv[1]!, [role], {
    env,
    // The next run recognises the process by this title.
    execArgv: [...process.execArgv, ...NODE_FLAGS, `--title=${tag} ${role}`],
    // Its own process group: Ctrl-C in a terminal reaches only the supervisor, which stops the others in
    // order.
    detached: true,
  });
  const owned = own(child, { stopSignal: 'SIGTERM', stopMsMax: DRAIN_MS_MAX, signal });
  const info = await new Promise<ReadyInfo>((resolve, reject) => {
    child.on('message', (message) => isReadyMessage(message) && resolve(message));
    void owned.exited.then((how) => reject(new Error(`${role} ended (${how}) before it was ready`)));
  });
  return { ...owned, info };
}
