import { mkdtemp, open, readdir, readFile, rename, rm, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import type { Log } from '../base/log.ts';
import { run } from './commands.ts';
import { type DataDir, openDataDir, privateDirectory, socketDirectory } from './dataDir.ts';
import { type EmbeddedService, launch, type StartOptions, untilReady } from './embeddedService.ts';
import { listProcesses, stopOrphans } from './orphans.ts';
import { type PostgresBinaries, postgresBinaries } from './postgresBinaries.ts';
import { postgresOwner, type RunAs, runAs } from './postgresUser.ts';

const STOP_MS_MAX = 30_000;
/** Part of the socket's name. PostgreSQL does not listen on TCP. */
const PORT = 5432;
const NAME = 'laurel';
const PROGRAM = /(^|\/)postgres(:| |$)/;
const ENVIRONMENT = { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' };

/**
 * Starts PostgreSQL in `dataDir`/postgres and resolves when it is ready. Stops one of an earlier run first.
 */
export async function startPostgres({ dataDir, log, signal }: StartOptions): Promise<EmbeddedService> {
  const home = await openDataDir(dataDir);
  const cluster = join(home.path, 'postgres');
  const binaries = await postgresBinaries();
  // The title of the server is a path. Its children have the title "postgres: <cluster_name>: …".
  await stopOrphans(
    {
      name: 'PostgreSQL',
      program: PROGRAM,
      leader: /(^|\/)postgres( |$)/,
      tag: home.tag,
      directory: cluster,
    },
    'SIGINT',
    log,
  );

  const owner = await postgresOwner(cluster, log);
  const sockets = await socketDirectory(home, 'postgres', owner);
  await initialize(home, cluster, binaries, owner, log, signal);
  await removeForeignPidFile(join(cluster, 'postmaster.pid'));
  await removeForeignPidFile(join(sockets, `.s.PGSQL.${PORT}.lock`));

  const logFile = join(home.path, 'postgres.log');
  const user = await runAs(owner, binaries.postgres, [binaries.root, cluster, sockets]);
  const server = launch({
    ...user.wrap(binaries.postgres, ['-D', cluster, ...postgresSettings(home, sockets)]),
    env: ENVIRONMENT,
    logFile,
    // Fast shutdown: ends sessions and writes all data. SIGTERM would wait until all clients have
    // disconnected.
    stopSignal: 'SIGINT',
    stopMsMax: STOP_MS_MAX,
    signal,
  });
  await untilReady('PostgreSQL', server, logFile, () => ensureDatabase(sockets));
  return { ...server, url: urlOf(sockets, NAME) };
}

function postgresSettings({ tag }: DataDir, sockets: string): string[] {
  const settings: Record<string, string> = {
    listen_addresses: '',
    unix_socket_directories: sockets,
    unix_socket_permissions: '0700',
    port: String(PORT),
    // Puts the tag into the title of every process.
    cluster_name: tag,
    fsync: 'on',
    synchronous_commit: 'on',
    // Redis and Node share the machine.
    shared_buffers: '128MB',
    max_connections: '100',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_checkpoints: 'off',
  };
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/** Port and sslmode are given explicitly, so PGPORT and PGSSLMODE in the environment have no effect. */
function urlOf(sockets: string, database: string): string {
  return `postgresql://${NAME}@localhost:${PORT}/${database}?host=${encodeURIComponent(sockets)}&sslmode=disable`;
}

/**
 * initdb writes to a temporary directory, which is renamed when it is complete. So an interrupted run leaves
 * no incomplete cluster.
 */
async function initialize(
  home: DataDir,
  cluster: string,
  { root, initdb, postgres }: PostgresBinaries,
  owner: { uid: number; gid: number },
  log: Log,
  signal?: AbortSignal,
): Promise<void> {
  const prefix = 'postgres.initdb-';
  for (const entry of await readdir(home.path)) {
    if (entry.startsWith(prefix))
      await rm(join(home.path, entry), { recursive: true, force: true, maxRetries: 5 });
  }
  if (await stat(cluster).catch(() => null)) return;

  log.info(`creating the PostgreSQL database in ${cluster}`);
  const draft = await mkdtemp(join(home.path, prefix));
  await privateDirectory(draft, owner);
  const user: RunAs = await runAs(owner, postgres, [root, draft]);
  const { command, args, ...identity } = user.wrap(initdb, [
    `--pgdata=${draft}`,
    `--username=${NAME}`,
    '--encoding=UTF8',
    // Sorts by code point on every system. Locales of the system may differ or be missing.
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--locale=C',
    // Users who may enter the directory of the socket have all rights. There is no other way to connect.
    '--auth-local=trust',
    '--auth-host=reject',
  ]);
  await run(command, args, { ...identity, env: ENVIRONMENT, ...(signal ? { signal } : {}) });
  await rename(draft, cluster);
  const parent = await open(home.path);
  await parent.sync();
  await parent.close();
}

/**
 * Removes a pid file whose number belongs to a process that is not PostgreSQL, as may happen after a restart
 * of the machine or the container. PostgreSQL would refuse to start because of it.
 */
async function removeForeignPidFile(file: string): Promise<void> {
  const pid = Number.parseInt(await readFile(file, 'utf8').catch(() => ''), 10);
  if (Number.isNaN(pid)) return;
  const holder = (await listProcesses()).find((candidate) => candidate.pid === pid);
  if (!holder || !PROGRAM.test(holder.program)) await unlink(file);
}

/** Whether the server accepts connections. Creates the database if it does not exist. */
async function ensureDatabase(sockets: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: urlOf(sockets, 'postgres') });
  client.on('error', () => {});
  try {
    await client.connect();
  } catch {
    return false;
  }
  try {
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [NAME]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${NAME}`);
    return true;
  } finally {
    await client.end();
  }
}
