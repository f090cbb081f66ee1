import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { afterAll, expect, test } from 'vitest';
import { allCells } from '../../src/base/cells.ts';
import { AdjustableClock } from '../../src/base/clock.ts';
import { readEnv } from '../../src/base/env.ts';
import { createLog } from '../../src/base/log.ts';
import { connectRedis, whenReady } from '../../src/redis/connection/redisClient.ts';
import { keys } from '../../src/redis/keys/redisKeys.ts';
import { readRelayLag } from '../../src/redis/state/relayProgress.ts';
import { SharedClock } from '../../src/redis/state/sharedClock.ts';
import { type RunningWorker, startWorker } from '../../workers/start/startWorker.ts';
import { testCells } from '../support/cells.ts';
import { startInstallation } from '../support/installation.ts';
import { DAILY, metricBoard } from '../support/items.ts';
import { livesConfig } from '../support/livesConfig.ts';
import { callApi, startAnotherServer, startTestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

/**
 * Ten days of the same events. The time of the whole installation passes, and only its workers settle users
 * who are due. All reads give the same answers afterwards, however many processes run, and also if the worker
 * was away for days.
 */
const START = Date.parse('2026-10-20T00:00:00Z');
const DAY_MS = 86_400_000;
const DAYS = 10;
/** The day after which the worker is stopped, and the one after which it is back. */
const [LEAVES, RETURNS] = [2, 5];
const CELLS = testCells(4);
/** Four deployments share the machine. */
const SETTLED_MS_MAX = 120_000;
const log = createLog('test', 'silent');
const ENV = {
  LAUREL_TEST_CLOCK: new Date(START).toISOString(),
  LAUREL_CONFIG: 'none',
  LAUREL_CELLS: String(CELLS.count),
};

const CONFIG = livesConfig({
  freezes: { startCount: 1, maxCount: 2, autoEarnInterval: 4, autoEarnAmount: 1 },
  boost: { start: '2026-10-24', end: '2026-10-25' },
  achievements: [{ key: 'three', name: 'Three days', trigger: 'streak', streakLength: 3 }],
  leaderboards: [metricBoard('days', { start: '2026-10-21', end: '2026-10-28', ...DAILY })],
});
const WEEKS = ['2026-10-19', '2026-10-26'];

/** With the days on which each is active. */
const USERS = [
  { id: 'ann', tz: 'Pacific/Auckland', days: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] },
  { id: 'bo', tz: 'Europe/London', days: [0, 1, 2, 4, 5, 6, 9] },
  { id: 'cy', tz: 'Pacific/Honolulu', days: [0, 1, 2] },
  { id: 'dee', tz: 'America/New_York', days: [1, 2, 3, 7, 8] },
  { id: 'eli', tz: 'Asia/Kathmandu', days: [0, 3, 5, 6, 7] },
];

interface Deployment {
  redisUrl: string;
  servers: string[];
}

/** By path. */
type Answers = Record<string, unknown>;

const stops: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

async function call(url: string, method: string, path: string, body?: unknown) {
  const reply = await callApi(url + path, method, body);
  if (reply.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(reply)}`);
  return reply.body;
}

/** Lives through the days; `endOfDay` is called when each is over. */
async function live(
  { redisUrl, servers }: Deployment,
  endOfDay: (day: number, settled: () => Promise<unknown>) => Promise<unknown>,
): Promise<Answers> {
  const redis = connectRedis(redisUrl, log);
  await whenReady(redis);
  const clock = new AdjustableClock();
  const shared = new SharedClock(clock, redis);
  await shared.follow();
  stops.push(async () => shared.close());
  stops.push(async () => redis.disconnect());
  const passTo = async (instant: number): Promise<void> => {
    await shared.moveTo(instant, true);
    const now = new Date(instant).toISOString();
    for (const url of servers)
      await until(async () => (await call(url, 'GET', '/admin/v1/test-clock')).now === now);
  };
  const settled = () => until(async () => (await countDue(redis, clock.now())) === 0, SETTLED_MS_MAX);

  await passTo(START + 60_000);
  await call(servers[0]!, 'PUT', '/admin/v1/config', CONFIG);
  for (let day = 0; day < DAYS; day++) {
    for (const [i, { id, tz, days }] of USERS.entries()) {
      if (!days.includes(day)) continue;
      await passTo(START + day * DAY_MS + (i + 3) * 3_600_000);
      const url = servers[(day + i) % servers.length]!;
      await call(url, 'POST', '/v1/metrics/lessons/event', { user: { id, tz }, value: i + 1 });
    }
    await passTo(START + (day + 1) * DAY_MS);
    await endOfDay(day, settled);
  }
  await until(async () => (await readRelayLag(redis, CELLS)).entries === 0, SETTLED_MS_MAX);
  // When the last zone has left it, the leaderboard is finished, and its last run is final.
  const days = await until(async () => {
    const boards: { id: string; key: string }[] = await call(servers[0]!, 'GET', '/admin/v1/leaderboards');
    const { id } = boards.find(({ key }) => key === 'days')!;
    const [change] = await call(servers[0]!, 'GET', `/admin/v1/audit?id=${id}`);
    return change.after.status === 'finished' && id;
  }, SETTLED_MS_MAX);
  const winners = await call(servers[0]!, 'GET', `/admin/v1/leaderboards/${days}/winners?limit=100`);
  return { ...(await readAll(servers[0]!)), winners };
}

async function countDue(redis: Redis, now: number): Promise<number> {
  const cells = allCells(CELLS);
  const counts = await Promise.all(cells.map((cell) => redis.zcount(keys.due(cell), '-inf', now / 1000)));
  return counts.reduce((sum, count) => sum + count);
}

/**
 * All reads of users and leaderboards, without ids, which differ between installations, and without past
 * ranks, which depend on the order in which users were settled.
 */
async function readAll(url: string): Promise<Answers> {
  const paths = USERS.flatMap(({ id }) => [
    `/users/${id}`,
    `/users/${id}/streak?historyPeriods=20`,
    `/users/${id}/metrics`,
    `/users/${id}/achievements`,
    ...['xp', 'energy'].flatMap((key) => [
      `/users/${id}/points/${key}?awards=100`,
      `/users/${id}/points/${key}/event-summary?aggregation=daily&startDate=2026-10-19&endDate=2026-10-31`,
    ]),
    ...WEEKS.map((run) => `/users/${id}/leaderboards/week?run=${run}`),
    `/users/${id}/leaderboards/streaks`,
  ]);
  paths.push(
    ...WEEKS.map((run) => `/leaderboards/week?run=${run}`),
    '/leaderboards/streaks',
    '/streaks/rankings',
  );
  const answers: Answers = {};
  for (const path of paths) {
    const answer = await call(url, 'GET', `/v1${path}`);
    for (const change of answer.history ?? []) {
      delete change.rank;
      delete change.previousRank;
    }
    const withoutIds = (key: string, value: unknown) => (/(^id|[^r]Id)$/.test(key) ? undefined : value);
    answers[path] = JSON.parse(JSON.stringify(answer, withoutIds));
  }
  return answers;
}

async function deployServers(
  count: number,
): Promise<Deployment & { addWorker: () => Promise<RunningWorker> }> {
  const first = await startTestServer({ env: ENV });
  const { url, redisUrl, databaseUrl, stop } = first;
  stops.push(stop);
  const env = readEnv(ENV);
  const more = await Promise.all(Array.from({ length: count - 1 }, () => startAnotherServer(first, ENV)));
  stops.push(...more.map((server) => () => server.stop()));
  const addWorker = () => startWorker({ ...env, redisUrl, databaseUrl }, log);
  return { redisUrl, servers: [url, ...more.map((server) => server.url)], addWorker };
}

async function serversAndWorkers(count: number): Promise<Answers> {
  const deployment = await deployServers(count);
  const workers = await Promise.all(Array.from({ length: count }, deployment.addWorker));
  stops.push(...workers.map((worker) => () => worker.stop()));
  return live(deployment, (_day, settled) => settled());
}

async function workerAwayForThreeDays(): Promise<Answers> {
  const deployment = await deployServers(1);
  let worker = await deployment.addWorker();
  stops.push(() => worker.stop());
  return live(deployment, async (day, settled) => {
    if (day === LEAVES) await worker.stop();
    if (day === RETURNS) worker = await deployment.addWorker();
    if (day < LEAVES || day >= RETURNS) await settled();
  });
}

async function npmStart(): Promise<Answers> {
  const dataDir = await mkdtemp(join(tmpdir(), 'laurel-test-'));
  const installation = await startInstallation(dataDir, ENV);
  stops.push(() => rm(dataDir, { recursive: true, force: true }));
  stops.push(() => installation.stop());
  const { url, stores } = installation;
  return live({ redisUrl: stores.redisUrl, servers: [url] }, (_day, settled) => settled());
}

test('every deployment answers the same after ten days', { timeout: 600_000 }, async () => {
  const [one, two, away, installed] = await Promise.all([
    serversAndWorkers(1),
    serversAndWorkers(2),
    workerAwayForThreeDays(),
    npmStart(),
  ]);
  const lengths = USERS.map(
    ({ id }) => (one[`/users/${id}/streak?historyPeriods=20`] as { length: number }).length,
  );
  expect(lengths).toEqual([10, 7, 0, 2, 0]);
  expect(JSON.stringify(one)).toContain('"usedFreeze":true');
  expect(new Set((one.winners as { run: { start: string } }[]).map(({ run }) => run.start)).size).toBe(8);
  expect(two, 'with two servers and two workers').toEqual(one);
  expect(away, 'with a worker that was away for three days').toEqual(one);
  expect(installed, 'by npm start').toEqual(one);
});
