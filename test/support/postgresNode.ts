import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { createLog } from '../../src/base/log.ts';
import { migrate } from '../../src/db/migrate.ts';
import { createPool } from '../../src/db/pool.ts';
import { run } from '../../src/embedded/commands.ts';
import { postgresBinaries } from '../../src/embedded/postgresBinaries.ts';
import { postgresOwner, type RunAs, runAs } from '../../src/embedded/postgresUser.ts';
import type { TestDatabase } from './database.ts';
import { descendants, freePort, isAlive } from './installation.ts';
import { storesDirectory } from './storesDirectory.ts';
import { START_MS } from './testTime.ts';
import { until } from './until.ts';

const PASSWORD = 'secret';
/** Entries of pg_hba.conf: everybody needs the password. */
const HBA = [
  'local all all trust',
  'host all all 127.0.0.1/32 scram-sha-256',
  'host replication all 127.0.0.1/32 trust',
];

/** A PostgreSQL on a TCP port, which a test may kill and promote. */
export class PostgresNode {
  readonly port: number;
  readonly home: string;
  readonly #user: RunAs;
  readonly #settings: Record<string, string>;
  readonly #parameters: string;
  #process: ChildProcess | null = null;

  private constructor(
    port: number,
    home: string,
    user: RunAs,
    settings: Record<string, string>,
    parameters: string,
  ) {
    this.port = port;
    this.home = home;
    this.#user = user;
    this.#settings = settings;
    this.#parameters = parameters;
  }

  /**
   * @param files of its data directory, by name, such as its certificate
   * @param parameters of its URL
   */
  static async start(
    settings: Record<string, string> = {},
    files: Record<string, string> = {},
    parameters = '',
  ): Promise<PostgresNode> {
    const { home, user } = await PostgresNode.#openHome();
    const { initdb } = await postgresBinaries();
    const { uid, gid } = user;
    const secret = join(home, 'password');
    await writeFile(secret, PASSWORD);
    await chown(secret, uid, gid);
    const { command, args, ...identity } = user.wrap(initdb, [
      ...[`--pgdata=${join(home, 'data')}`, '--username=laurel', `--pwfile=${secret}`],
      ...[
        '--encoding=UTF8',
        '--locale-provider=builtin',
        '--builtin-locale=C.UTF-8',
        '--locale=C',
        '--no-sync',
      ],
    ]);
    await run(command, args, { ...identity, env: { PATH: process.env.PATH } });
    for (const [name, text] of Object.entries({ 'pg_hba.conf': HBA.join('\n'), ...files })) {
      const file = join(home, 'data', name);
      await writeFile(file, `${text}\n`, { mode: 0o600 });
      await chown(file, uid, gid);
    }
    return PostgresNode.#begin(home, user, settings, parameters);
  }

  /** A standby that streams from the primary; `name` is its application_name. */
  static async startStandby(primary: PostgresNode, name: string): Promise<PostgresNode> {
    const { home, user } = await PostgresNode.#openHome();
    await primary.stop();
    await primary.copyTo(home);
    await primary.restart();
    const signal = join(home, 'data', 'standby.signal');
    await writeFile(signal, '');
    await chown(signal, user.uid, user.gid);
    const conninfo = `host=127.0.0.1 port=${primary.port} user=laurel application_name=${name}`;
    return PostgresNode.#begin(home, user, { primary_conninfo: conninfo });
  }

  static async #openHome(): Promise<{ home: string; user: RunAs }> {
    const home = await mkdtemp(join(storesDirectory(), 'laurel-test-postgres-'));
    const owner = await postgresOwner(home, createLog('test', 'warn'));
    await chown(home, owner.uid, owner.gid);
    const { postgres, root } = await postgresBinaries();
    return { home, user: await runAs(owner, postgres, [root, home]) };
  }

  static async #begin(
    home: string,
    user: RunAs,
    settings: Record<string, string>,
    parameters = '',
  ): Promise<PostgresNode> {
    const node = new PostgresNode(await freePort(), home, user, settings, parameters);
    await node.restart();
    return node;
  }

  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  url(database: string): string {
    return `postgres://laurel:${PASSWORD}@${this.address}/${database}${this.#parameters && `?${this.#parameters}`}`;
  }

  async restart(): Promise<void> {
    const { postgres } = await postgresBinaries();
    const settings = {
      listen_addresses: '127.0.0.1',
      port: String(this.port),
      unix_socket_directories: '',
      fsync: 'off',
      ...this.#settings,
    };
    const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const { command, args, ...identity } = this.#user.wrap(postgres, [
      '-D',
      join(this.home, 'data'),
      ...flags,
    ]);
    this.#process = spawn(command, args, {
      ...identity,
      cwd: '/',
      stdio: 'ignore',
      env: { PATH: process.env.PATH },
    });
    await until(() => this.query('select 1'));
  }

  async query(sql: string, database = 'postgres'): Promise<pg.QueryResult> {
    const client = new pg.Client({ connectionString: this.url(database) });
    client.on('error', () => {});
    await client.connect();
    try {
      return await client.query(sql);
    } finally {
      await client.end();
    }
  }

  /** Copies the files of a stopped PostgreSQL into a directory. */
  async copyTo(home: string): Promise<void> {
    await run('cp', ['-a', join(this.home, 'data'), home]);
  }

  /** Replaces the files of a stopped PostgreSQL by such a copy. */
  async copyFrom(home: string): Promise<void> {
    await rm(join(this.home, 'data'), { recursive: true });
    await run('cp', ['-a', join(home, 'data'), this.home]);
  }

  /** Lets it hang with all its sessions, as a machine without network does. */
  pause(): void {
    this.#signalAll('SIGSTOP');
  }

  resume(): void {
    this.#signalAll('SIGCONT');
  }

  #signalAll(signal: NodeJS.Signals): void {
    for (const pid of descendants(this.#process!.pid!)) if (isAlive(pid)) process.kill(pid, signal);
  }

  /** Ends sessions and stops in order. */
  stop(): Promise<void> {
    return this.#end('SIGINT');
  }

  /** Ends without writing anything more. */
  kill(): Promise<void> {
    return this.#end('SIGQUIT');
  }

  async remove(): Promise<void> {
    await this.kill();
    await rm(this.home, { recursive: true, force: true });
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const ended = this.#process;
    this.#process = null;
    if (ended === null || ended.exitCode !== null) return;
    const exited = once(ended, 'exit');
    ended.kill(signal);
    await exited;
  }
}

/** A PostgreSQL with laurel's database, which may be killed: it has everything that it has committed. */
export async function startPostgresNode(): Promise<TestDatabase & { node: PostgresNode }> {
  const node = await PostgresNode.start();
  await node.query('create database laurel');
  const log = createLog('test', 'silent');
  const pool = createPool(node.url('laurel'), log);
  await migrate(pool, START_MS, log);
  await pool.end();
  return { node, url: node.url('laurel'), drop: () => node.remove() };
}
