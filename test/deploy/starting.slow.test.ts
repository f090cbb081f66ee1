import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { readEnv } from '../../src/base/env.ts';
import { createLog } from '../../src/base/log.ts';
import { MIGRATION_LOCK } from '../../src/db/migrate.ts';
import { startServer } from '../../src/server/startServer.ts';
import { PROGRAM } from '../../tools/program.ts';
import { startWorker } from '../../workers/start/startWorker.ts';
import { freePort } from '../support/installation.ts';
import { API_KEY } from '../support/server.ts';
import { until } from '../support/until.ts';
import { useServer } from '../support/useServer.ts';

const server = useServer();
/** Holds the lock of the migrations, as another process does that migrates. */
let migrating: pg.Client;

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

function start(role: 'server' | 'worker', port: number): ChildProcess {
  const { redisUrl, databaseUrl } = server;
  const env = {
    ...process.env,
    REDIS_URL: redisUrl,
    DATABASE_URL: databaseUrl,
    LAUREL_ADMIN_KEY: API_KEY,
    LAUREL_TEST_CLOCK: '1',
    HOST: '127.0.0.1',
    LOG_LEVEL: 'error',
    LAUREL_ALLOW_UNSAFE_REDIS: '1',
    LAUREL_DRAIN_SECONDS: '0',
    ...(role === 'server' ? { PORT: String(port) } : { WORKER_PORT: String(port) }),
  };
  const child = spawn(process.execPath, [PROGRAM, role], {
    env,
    stdio: 'ignore',
  });
  children.push(child);
  return child;
}

async function ask(
  port: number,
  path: string,
  method = 'GET',
): Promise<{ status: number; body: unknown } | null> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method });
    return { status: response.status, body: await response.json() };
  } catch {
    return null;
  }
}

const exitCode = async (child: ChildProcess): Promise<unknown> =>
  child.exitCode ?? (await once(child, 'exit'))[0];

describe.each(['server', 'worker'] as const)('a %s that starts while the schema is changed', (role) => {
  beforeAll(async () => {
    migrating = new pg.Client(server.databaseUrl);
    await migrating.connect();
  });
  afterAll(() => migrating.end());

  test('is alive and not ready, and serves when the change is done', async () => {
    await migrating.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    const port = await freePort();
    start(role, port);
    await until(async () => (await ask(port, '/readyz'))?.status === 503);
    await until(async () => JSON.stringify((await ask(port, '/readyz'))?.body) === '{"status":"migrating"}');
    expect(await ask(port, '/healthz')).toEqual({ status: 200, body: { status: 'ok' } });
    expect(await ask(port, '/v1/metrics/lessons/event', 'POST')).toMatchObject({ status: 503 });
    await migrating.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK]);
    await until(async () => (await ask(port, '/readyz'))?.status === 200);
  });

  test('ends at once on SIGTERM, before and after the change', async () => {
    await migrating.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    const port = await freePort();
    const waiting = start(role, port);
    await until(async () => JSON.stringify((await ask(port, '/readyz'))?.body) === '{"status":"migrating"}');
    waiting.kill('SIGTERM');
    // The process has handled the signal; the default effect would be no code.
    expect(await exitCode(waiting)).toBe(143);
    await migrating.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK]);
    const running = start(role, port);
    await until(async () => (await ask(port, '/readyz'))?.status === 200);
    running.kill('SIGTERM');
    expect(await exitCode(running)).toBe(0);
  });
});

test('a server or worker that does not follow the moved test clock refuses to start', async () => {
  const { redisUrl, databaseUrl } = server;
  const log = createLog('test', 'silent');
  const stores = {
    ...readEnv({ PORT: '0', HOST: '127.0.0.1', LAUREL_ADMIN_KEY: API_KEY }),
    redisUrl,
    databaseUrl,
  };
  for (const startRole of [startServer, startWorker]) {
    await expect(startRole(stores, log)).rejects.toThrow('Set LAUREL_TEST_CLOCK=1');
  }
});
