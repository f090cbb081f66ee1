import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLog } from '../../src/base/log.ts';
import { startRedis } from '../../src/embedded/redis.ts';
import { PROGRAM } from '../../tools/program.ts';
import { freePort } from '../support/installation.ts';
import { PostgresNode } from '../support/postgresNode.ts';
import { API_KEY, callApi, type Reply } from '../support/server.ts';
import { until } from '../support/until.ts';
import { useDirectory } from '../support/useDirectory.ts';

/** PostgreSQL keeps 3 of its 100 connections for superusers. */
const CONNECTIONS_MAX = 97;
const SERVERS = 5;
const WORKERS = 5;
const USERS = 60;
const ROUNDS = 4;

const dataDir = useDirectory();
let postgres: PostgresNode;
let redis: Awaited<ReturnType<typeof startRedis>>;
const processes: ChildProcess[] = [];
let env: NodeJS.ProcessEnv;
beforeAll(async () => {
  redis = await startRedis({ dataDir, log: createLog('test', 'silent') });
  postgres = await PostgresNode.start();
  await postgres.query('create database laurel');
  const stores = { REDIS_URL: redis.url, DATABASE_URL: postgres.url('laurel') };
  env = { ...process.env, ...stores, LAUREL_ADMIN_KEY: API_KEY, HOST: '127.0.0.1', LOG_LEVEL: 'fatal' };
});
afterAll(async () => {
  await Promise.all(
    processes.map(async (child) => {
      const exited = once(child, 'exit');
      if (child.kill('SIGKILL')) await exited;
    }),
  );
  await Promise.all([redis?.stop(), postgres?.remove()]);
});

/** @returns the address of a server */
async function start(role: 'server' | 'worker'): Promise<string> {
  const port = await freePort();
  const child = fork(PROGRAM, [role], { env: { ...env, PORT: String(port) }, stdio: 'ignore' });
  processes.push(child);
  await once(child, 'message');
  return `http://127.0.0.1:${port}`;
}

/** Connections by the process that holds them. */
async function connections(): Promise<number> {
  const sql = "select count(*)::int as held from pg_stat_activity where application_name = 'laurel'";
  return (await postgres.query(sql)).rows[0].held;
}

/** Events, changes and reads of all kinds at once. */
async function load(url: string): Promise<void> {
  const path = '/metrics/words/event-summary?aggregation=daily&startDate=2026-11-01&endDate=2026-11-30';
  const calls = Array.from({ length: USERS }, (_, i) => [
    atLast(() => callApi(`${url}/v1/metrics/words/event`, 'POST', { user: { id: `user-${i}` }, value: 1 })),
    atLast(() => callApi(`${url}/admin/v1/audit`, 'GET')),
    atLast(() => callApi(`${url}/v1/users/user-${i}${path}`, 'GET')),
  ]);
  await Promise.all(calls.flat());
}

/** A busy machine may take longer than a call waits for a connection. */
async function atLast(call: () => Promise<Reply>): Promise<void> {
  await until(async () => (await call()).status < 300);
}

test('a server and a worker under load hold no more connections than their share', async () => {
  const url = await start('server');
  await start('worker');
  let held = 0;
  let isOver = false;
  const counting = (async () => {
    while (!isOver) held = Math.max(held, await connections());
  })();
  for (let round = 0; round < ROUNDS; round++) await load(url);
  isOver = true;
  await counting;
  expect(held).toBeGreaterThan(5);
  expect(held * SERVERS).toBeLessThan(CONNECTIONS_MAX);
});

test('five servers and five workers start at once and work', async () => {
  const urls = await Promise.all(Array.from({ length: SERVERS - 1 }, () => start('server')));
  await Promise.all(Array.from({ length: WORKERS - 1 }, () => start('worker')));
  await Promise.all(urls.map(load));
  expect(await connections()).toBeLessThan(CONNECTIONS_MAX);
});
