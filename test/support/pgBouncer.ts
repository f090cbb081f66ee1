import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { findOnPath } from '../../src/embedded/commands.ts';
import { freePort } from './installation.ts';
import { until } from './until.ts';

export const PGBOUNCER = findOnPath('pgbouncer');

export interface PgBouncer {
  url: string;
  stop(): Promise<void>;
}

/**
 * PgBouncer in front of a database, with connections of PostgreSQL for single transactions, and few of them.
 */
export async function startPgBouncer(databaseUrl: string, connections: number): Promise<PgBouncer> {
  const port = await freePort();
  const home = await mkdtemp(join(tmpdir(), 'laurel-test-pgbouncer-'));
  await chmod(home, 0o755);
  const { hostname, searchParams, port: databasePort, pathname, username, password } = new URL(databaseUrl);
  const database = pathname.slice(1);
  const host = searchParams.get('host') ?? hostname;
  const login = `user=${username}${password && ` password=${password}`}`;
  const config = join(home, 'pgbouncer.ini');
  const lines = [
    '[databases]',
    `${database} = host=${host} port=${databasePort} dbname=${database} ${login}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    'pool_mode = transaction',
    `default_pool_size = ${connections}`,
  ];
  await writeFile(config, lines.join('\n'), { mode: 0o644 });
  // It refuses to run as root.
  const user = process.getuid?.() === 0 ? ['-u', 'postgres'] : [];
  const child = spawn(PGBOUNCER!, [...user, config], { stdio: 'ignore', env: { PATH: process.env.PATH } });
  const url = `postgres://${username}@127.0.0.1:${port}/${database}?pgbouncer=true`;
  await until(async () => {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => {});
    await client.connect();
    await client.end();
    return true;
  });
  return {
    url,
    stop: async () => {
      const exited = once(child, 'exit');
      if (child.exitCode === null && child.kill('SIGQUIT')) await exited;
      await rm(home, { recursive: true, force: true });
    },
  };
}
