import { afterEach, beforeEach, expect, test } from 'vitest';
import { allCells } from '../../src/base/cells.ts';
import { readEnv } from '../../src/base/env.ts';
import { createLog } from '../../src/base/log.ts';
import { connectRedis, whenReady } from '../../src/redis/connection/redisClient.ts';
import { keys } from '../../src/redis/keys/redisKeys.ts';
import { readRelayLag } from '../../src/redis/state/relayProgress.ts';
import { startWorker } from '../../workers/start/startWorker.ts';
import { testCells } from '../support/cells.ts';
import { achievement, items, metricBoard, WEEKLY } from '../support/items.ts';
import type { Json } from '../support/reading.ts';
import { callApi, startAnotherServer, startTestServer } from '../support/server.ts';

/**
 * Two servers and two workers whose clock is moved by one of them: once it has answered, there is nothing
 * left to wait for, whoever is asked.
 */
const CELLS = testCells(4);
const ENV = {
  LAUREL_TEST_CLOCK: '2026-03-02T12:30:00Z',
  LAUREL_CONFIG: 'none',
  LAUREL_CELLS: String(CELLS.count),
};
const CONFIG = {
  metrics: items('lessons'),
  streak: { metrics: [{ key: 'lessons', threshold: 1 }], freezes: { startCount: 1, maxCount: 1 } },
  achievements: [achievement('two', 2, { status: 'inactive' })],
  points: [
    {
      key: 'energy',
      name: 'Energy',
      maxPoints: 5,
      triggers: [
        { type: 'time', timeUnit: 'hours', timeInterval: 6, points: 1 },
        { type: 'time', timeUnit: 'days', timeInterval: 1, points: 2 },
      ],
    },
  ],
  leaderboards: [
    metricBoard('week', { start: '2026-03-02', ...WEEKLY }),
    metricBoard('later', { start: '2026-03-05' }),
  ],
};

const stops: (() => Promise<unknown>)[] = [];
let servers: string[];
let redisUrl: string;

beforeEach(async () => {
  const first = await startTestServer({ env: ENV });
  stops.push(first.stop);
  redisUrl = first.redisUrl;
  const log = createLog('test', 'silent');
  const env = {
    ...readEnv(ENV),
    redisUrl,
    databaseUrl: first.databaseUrl,
  };
  const second = await startAnotherServer(first, ENV);
  stops.push(() => second.stop());
  for (let i = 0; i < 2; i++) {
    const worker = await startWorker(env, log);
    stops.push(() => worker.stop());
  }
  servers = [first.url, second.url];
  await call(0, 'PUT', '/admin/v1/config', CONFIG);
});
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

async function call(server: number, method: string, path: string, body?: unknown): Promise<Json> {
  const reply = await callApi(servers[server]! + path, method, body);
  expect([200, 201], JSON.stringify(reply.body)).toContain(reply.status);
  return reply.body;
}

const move = (server: number, now: string) =>
  call(server, 'POST', '/admin/v1/test-clock', { now, stopped: true });

/** What is left to do of what is due. */
async function left(now: string): Promise<{ due: number; entries: number }> {
  const redis = connectRedis(redisUrl, createLog('test', 'silent'));
  await whenReady(redis);
  const counts = await Promise.all(
    allCells(CELLS).map((cell) => redis.zcount(keys.due(cell), '-inf', Date.parse(now) / 1000)),
  );
  const { entries } = await readRelayLag(redis, CELLS);
  redis.disconnect();
  return { due: counts.reduce((sum, count) => sum + count), entries };
}

test('when the clock has been moved, all that was due until then has happened, on every server', async () => {
  const users = Array.from({ length: 20 }, (_, i) => ({
    id: `user-${i}`,
    tz: ['Asia/Tokyo', 'America/New_York'][i % 2],
  }));
  await move(0, '2026-03-02T12:40:00Z');
  for (const [i, user] of users.entries()) {
    await call(i % 2, 'POST', '/v1/metrics/lessons/event', { user, value: 1 + (i % 3) });
  }
  const [achievement] = await call(1, 'GET', '/admin/v1/achievements');
  await call(1, 'PATCH', '/admin/v1/achievements', [{ id: achievement.id, status: 'active' }]);

  const now = '2026-03-20T12:30:00Z';
  await move(0, now);
  expect(await left(now)).toEqual({ due: 0, entries: 0 });
  for (const server of [1, 0]) {
    const get = (path: string) => call(server, 'GET', path);
    expect(await get('/admin/v1/test-clock')).toEqual({ now: '2026-03-20T12:30:00.000Z', stopped: true });
    expect(new Set((await get('/admin/v1/activations')).map(({ status }: Json) => status))).toEqual(
      new Set(['finished']),
    );
    expect((await get('/v1/users/user-1/achievements')).map(({ key }: Json) => key)).toEqual(['two']);
    expect((await get('/v1/leaderboards/later?limit=100')).rankings).toHaveLength(users.length);
    const boards = await get('/admin/v1/leaderboards');
    const { id } = boards.find(({ key }: Json) => key === 'week');
    expect((await get(`/admin/v1/leaderboards/${id}/winners`)).map(({ value }: Json) => value)).toEqual([
      3, 3, 3,
    ]);
    const { length, streakHistory } = await get('/v1/users/user-0/streak?historyPeriods=19');
    expect([length, streakHistory[1].usedFreeze, streakHistory[2].length]).toEqual([0, true, 0]);
    const awardsOf = async (user: string) => (await get(`/v1/users/${user}/points/energy?awards=10`)).awards;
    const dates = (awards: Json[]) =>
      awards.map(({ date, awarded }: Json) => `${date.slice(0, 16)} ${awarded}`);
    expect(dates(await awardsOf('user-0'))).toEqual([
      '2026-03-03T06:00 1',
      '2026-03-03T00:00 1',
      '2026-03-02T18:00 1',
      '2026-03-02T15:00 2', // midnight in Tokyo
    ]);
    expect(dates(await awardsOf('user-1'))).toEqual([
      '2026-03-03T06:00 1',
      '2026-03-03T05:00 2', // midnight in New York
      '2026-03-03T00:00 1',
      '2026-03-02T18:00 1',
    ]);
  }
});

test('either server moves it for both, and neither moves it back', async () => {
  for (let day = 21; day < 29; day++) {
    const now = `2026-03-${day}T12:30:00.000Z`;
    await move(day % 2, now);
    expect(await call(1 - (day % 2), 'GET', '/admin/v1/test-clock')).toEqual({ now, stopped: true });
  }
  for (const server of servers) {
    const reply = await callApi(`${server}/admin/v1/test-clock`, 'POST', { now: '2026-03-28T12:29:59.999Z' });
    expect(reply).toMatchObject({
      status: 422,
      body: { error: expect.stringContaining('2026-03-28T12:30:00.000Z') },
    });
  }
});
