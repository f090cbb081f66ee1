import { mkdtemp, open, readdir, readFile, rename, rm, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import type { Log } from '../base/log.ts';
import { run } from './commands.ts';
import { type DataDir, openDataDir, privateDirectory, socketDirectory } from './dataDir.ts';
import { listProcesses, stopOrphans } from './orphans.ts';
import { type PostgresBinaries, postgresBinaries } from './postgresBinaries.ts';
import { postgresOwner, type RunAs, runAs } from './postgresUser.ts';
import { type EmbeddedService, launch, type StartOptions, untilReady } from './service.ts';

const STOP_MS_MAX = 30_000;
/** Names the socket only: nothing listens on TCP. */
const PORT = 5432;
const NAME = 'laurel';
const PROGRAM = /(^|\/)postgres(:| |$)/;
const ENVIRONMENT = { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' };

/** Starts PostgreSQL on `dataDir`/postgres, first stopping one that an earlier run left there. Ready when it resolves. */
export async function startPostgres({ dataDir, log, signal }: StartOptions): Promise<EmbeddedService> {
  const home = await openDataDir(dataDir);
  const cluster = join(home.path, 'postgres');
  const binaries = await postgresBinaries();
  // The server is a path, its children are titled "postgres: <cluster_name>: …".
  await stopOrphans(
    { name: 'PostgreSQL', program: PROGRAM, leader: /(^|\/)postgres( |$)/, tag: home.tag, directory: cluster },
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
    // "Fast" shutdown: ends sessions and writes everything out. SIGTERM would wait for the clients to leave.
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
    // A small machine that is shared with Redis and Node.
    shared_buffers: '128MB',
    max_connections: '100',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_checkpoints: 'off',
  };
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/** Port and sslmode are named so that PGPORT and PGSSLMODE of the environment do not apply. */
function urlOf(sockets: string, database: string): string {
  return `postgresql://${NAME}@localhost:${PORT}/${database}?host=${encodeURIComponent(sockets)}&sslmode=disable`;
}

/** initdb writes into a directory beside, which gets its name when it is complete: there is no half-made cluster. */
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
    if (entry.startsWith(prefix)) await rm(join(home.path, entry), { recursive: true, force: true, maxRetries: 5 });
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
    // Sorts by code point, the same on every system; the system's own locales may differ or be missing.
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--locale=C',
    // Who may enter the directory of the socket may do everything, and there is no other way in.
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
 * PostgreSQL refuses to start while the process named in its pid file lives. After a restart of the machine or the
 * container that number may be anybody's.
 */
async function removeForeignPidFile(file: string): Promise<void> {
  const pid = Number.parseInt(await readFile(file, 'utf8').catch(() => ''), 10);
  if (Number.isNaN(pid)) return;
  const holder = (await listProcesses()).find((candidate) => candidate.pid === pid);
  if (!holder || !PROGRAM.test(holder.program)) await unlink(file);
}

/** Whether the server takes connections and the database exists, which is created when it does not. */
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
