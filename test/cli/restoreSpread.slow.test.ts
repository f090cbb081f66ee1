import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { allCells, cellOf } from '../../src/base/cells.ts';
import { readEnv } from '../../src/base/env.ts';
import { createLog } from '../../src/base/log.ts';
import { noProgress } from '../../src/base/progress.ts';
import { check } from '../../src/commands/check/check.ts';
import { readCells } from '../../src/db/installation.ts';
import { createPool, type Pool } from '../../src/db/pool.ts';
import { foldRelayedStates } from '../../src/engine/recovery/foldSnapshots.ts';
import { keys } from '../../src/redis/keys/redisKeys.ts';
import { readRelayLag } from '../../src/redis/state/relayProgress.ts';
import { type RunningWorker, startWorker } from '../../workers/start/startWorker.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { achievement, items, lessonStreak, metricBoard, perLesson, xp, xpBoard } from '../support/items.ts';
import { runLaurel } from '../support/laurelCommand.ts';
import { record } from '../support/reading.ts';
import { openRedis } from '../support/redisData.ts';
import type { TestRedis } from '../support/redisKind.ts';
import { API_KEY, startTestRedis, startTestServer, type TestServer } from '../support/server.ts';
import { START } from '../support/testTime.ts';
import { until } from '../support/until.ts';
import { useDirectory } from '../support/useDirectory.ts';

/** How an installation gets another number of cells per tenant, on the command line as operators do it. */
const TENANT = 1;
const COUNT = 16;
/** Three restores, each with a comparison of both stores. */
const RESTORES_MS_MAX = 400_000;
const USERS = Array.from({ length: 20 }, (_, i) => `user-${i}`);
const CONFIG = {
  attributes: { user: items('city') },
  metrics: items('lessons'),
  streak: lessonStreak(),
  achievements: [achievement('five', 5)],
  points: [xp([perLesson(3)])],
  leaderboards: [
    metricBoard('all', { start: '2026-01-01' }),
    xpBoard('few', { maxParticipants: 5, start: '2026-01-01' }),
    metricBoard('city', { breakdownAttributes: ['city'], start: '2026-01-01' }),
  ],
};
const silent = createLog('test', 'silent');

const directory = useDirectory();
let redis: TestRedis;
let database: TestDatabase;
let pool: Pool;
let server: TestServer | null = null;
let worker: RunningWorker | null = null;
const eventIds = new Map<string, string>();

beforeAll(async () => {
  await writeFile(join(directory, 'config.json'), JSON.stringify(CONFIG));
  redis = await startTestRedis(directory, silent);
  database = await createTestDatabase();
  pool = createPool(database.url, silent);
  await start('1');
  for (const [i, id] of USERS.entries()) {
    const user = { id, name: `Ñame of ${id}`, attributes: { city: i % 3 === 0 ? 'london' : 'são paulo' } };
    const { status, body } = await sendEvent(id, { user, value: 1 + (i % 6) });
    expect(status).toBe(201);
    eventIds.set(id, body.eventId);
  }
  await isRelayed();
  await until(areActivationsOver);
});

afterAll(async () => {
  await stop();
  await pool.end();
  await Promise.all([redis.stop(), database.drop()]);
});

/** Starts a server and a worker; an empty number leaves the choice to the installation. */
async function start(spread: string): Promise<void> {
  server = await startTestServer({
    env: {
      LAUREL_CONFIG: join(directory, 'config.json'),
      LAUREL_CELLS: String(COUNT),
      LAUREL_SPREAD: spread,
    },
    // The stores outlive the server.
    redis: { url: redis.url, stop: async () => {} },
    database: { ...database, drop: async () => {} },
  });
  await startAWorker(spread);
}

async function startAWorker(spread: string): Promise<void> {
  worker = await startWorker(
    {
      ...readEnv({ LAUREL_TEST_CLOCK: START, LAUREL_SPREAD: spread, WORKER_PORT: '0' }),
      redisUrl: redis.url,
      databaseUrl: database.url,
    },
    silent,
  );
}

async function stop(): Promise<void> {
  await worker?.stop();
  worker = null;
  await server?.stop();
  server = null;
}

/** Sends the event of a user, always with the same idempotency key. */
const sendEvent = (id: string, event: object) =>
  server!.call('POST', '/v1/metrics/lessons/event', event, { 'Idempotency-Key': `key-${id}` });

async function isRelayed(): Promise<void> {
  const connection = await openRedis(redis.url);
  const cells = (await readCells(pool))!;
  await until(async () => (await readRelayLag(connection, cells)).entries === 0);
  connection.disconnect();
}

/** While one runs, leaderboards are filled. */
async function areActivationsOver(): Promise<boolean> {
  const { body } = await server!.call('GET', '/admin/v1/activations?limit=100');
  return (body as { status: string }[]).every(({ status }) => status === 'finished');
}

/** What the API shows of users and rankings. */
async function readAll(): Promise<Record<string, unknown>> {
  const paths = ['/achievements', '/leaderboards/all?limit=100', '/leaderboards/few'];
  for (const city of ['london', 'são paulo'])
    paths.push(`/leaderboards/city?userAttributes=${encodeURIComponent(`city:${city}`)}`);
  for (const id of USERS) {
    const user = `/users/${id}`;
    paths.push(
      user,
      `${user}/achievements`,
      `${user}/streak`,
      `${user}/metrics`,
      `${user}/points/xp?awards=10`,
    );
    for (const { key } of CONFIG.leaderboards) paths.push(`${user}/leaderboards/${key}`);
  }
  const found: Record<string, unknown> = {};
  for (const path of paths) {
    const { status, body } = await server!.call('GET', `/v1${path}`);
    expect([path, status]).toEqual([path, 200]);
    found[path] = body;
  }
  return found;
}

/** Compares answer by answer, so that a failure shows the one that differs. */
async function expectAll(before: Record<string, unknown>): Promise<void> {
  const now = await readAll();
  for (const path of Object.keys(before)) expect([path, now[path]]).toEqual([path, before[path]]);
}

/** Runs `laurel` on the stores. */
function laurel(spread: string, ...args: string[]): Promise<{ stdout: string }> {
  const env = {
    REDIS_URL: redis.url,
    DATABASE_URL: database.url,
    LAUREL_ADMIN_KEY: API_KEY,
    LAUREL_TEST_CLOCK: START,
    LAUREL_ALLOW_UNSAFE_REDIS: '1',
    LAUREL_SPREAD: spread,
    LOG_LEVEL: 'error',
    PORT: '0',
    WORKER_PORT: '0',
  };
  return runLaurel(args, env, 60_000);
}

const spreadInForce = async (): Promise<number> => (await readCells(pool))!.spread;

/** Restores to another number of cells, and compares what is there before and after. */
async function changeSpread(spread: number): Promise<void> {
  const before = await readAll();
  await isRelayed();
  const last = await spreadInForce();
  await stop();
  const { stdout } = await laurel(String(spread), 'restore', '--replace');
  expect(stdout).toContain(`restored ${USERS.length} users`);
  expect(await spreadInForce()).toBe(spread);
  for (const role of ['server', 'worker']) {
    await expect(laurel(String(last), role)).rejects.toThrow(
      `LAUREL_SPREAD is ${last}, but this installation uses ${spread}`,
    );
  }
  await start('');
  await expectAll(before);
  const connection = await openRedis(redis.url);
  for (const cell of allCells({ count: COUNT, spread })) {
    const own = USERS.filter((id) => cellOf(TENANT, id, { count: COUNT, spread }) === cell);
    expect((await connection.zrange(keys.seen(TENANT, cell), '0', '-1')).sort()).toEqual(own.sort());
  }
  for (const id of USERS) {
    const { status, body } = await sendEvent(id, { user: { id }, value: 1 });
    expect([status, body.eventId]).toEqual([202, eventIds.get(id)]);
  }
  const { total } = await record(server!, { id: 'user-3' });
  expect(total).toBe((before['/users/user-3/metrics'] as { current: number }[])[0]!.current + 1);
  await isRelayed();
  await foldRelayedStates(pool, { wait: true });
  const report = await check({ pool, redis: connection, progress: noProgress, all: true });
  expect(report).toMatchObject({ users: USERS.length, differences: [] });
  connection.disconnect();
}

test('a restore to another number of cells is refused while a server or a worker runs', async () => {
  const before = await readAll();
  const refusal = 'stop all servers and workers first: LAUREL_SPREAD differs from the current number';
  await worker!.stop();
  worker = null;
  await expect(laurel('8', 'restore', '--replace')).rejects.toThrow(refusal);
  await server!.stop();
  server = null;
  await startAWorker('1');
  await expect(laurel('8', 'restore', '--replace')).rejects.toThrow(refusal);
  await stop();
  await expect(laurel('32', 'restore', '--replace')).rejects.toThrow('there are only 16 cells');
  await expect(laurel('8', 'restore')).rejects.toThrow('--replace');
  expect(await spreadInForce()).toBe(1);
  await start('1');
  await expectAll(before);
});

test(
  'a restore to another number of cells keeps users, rankings and used keys',
  async () => {
    for (const spread of [8, 2, 1]) await changeSpread(spread);
  },
  RESTORES_MS_MAX,
);
