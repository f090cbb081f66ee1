import { describe, expect, test } from 'vitest';
import { cellOf } from '../../src/base/cells.ts';
import { DEFAULT_TENANT } from '../../src/db/configuration/loadConfig.ts';
import { readCells } from '../../src/db/installation.ts';
import { KeptHistories } from '../../src/engine/keptHistory/keptHistories.ts';
import { awardsPart } from '../../src/engine/keptHistory/keptParts.ts';
import { keys } from '../../src/redis/keys/redisKeys.ts';
import { readUserState } from '../../src/redis/state/currentStates.ts';
import { DAY_MS } from '../../src/rules/calendar.ts';
import { DAILY, items, metricBoard, perLesson, xp, xpBoard } from '../support/items.ts';
import type { Json } from '../support/reading.ts';
import { TestDays } from '../support/testDays.ts';
import { until } from '../support/until.ts';
import { useServer } from '../support/useServer.ts';

/** Reads of the latest awards and days on leaderboards while nothing reaches PostgreSQL. */

const config = {
  metrics: items('lessons'),
  points: [
    xp([perLesson(10)]),
    {
      key: 'energy',
      name: 'Energy',
      triggers: [{ type: 'time', timeUnit: 'hours', timeInterval: 1, points: 1 }],
    },
  ],
  leaderboards: [metricBoard('daily', DAILY), xpBoard('all')],
};
const server = useServer({ config, env: { LAUREL_HISTORY_WAIT_MS: '0' }, serverEach: true });

const ANN = { tenant: DEFAULT_TENANT, userId: 'ann' };
const PATHS = ['points/xp', 'points/energy', 'leaderboards/daily', 'leaderboards/all'];
const read = (path: string): Promise<Json> => server.get(`/v1/users/ann/${path}`);
const statusOf = async (path: string): Promise<number> =>
  (await server.call('GET', `/v1/users/ann/${path}`)).status;
const readAll = (): Promise<Json[]> => Promise.all(PATHS.map(read));

async function listOf(userId = 'ann'): Promise<{ length: number; seconds: number; keepsHistory: boolean }> {
  const cells = (await readCells(server.pool))!;
  const key = keys.history(DEFAULT_TENANT, cellOf(DEFAULT_TENANT, userId, cells), userId);
  const state = await readUserState(server.redis, cells, { tenant: DEFAULT_TENANT, userId });
  const [length, seconds] = [await server.redis.llen(key), await server.redis.ttl(key)];
  return { length, seconds, keepsHistory: state!.keepsHistory };
}

/** Ann has an event, has been read, and nothing is relayed from then on. */
async function beginKept(): Promise<TestDays> {
  const days = await TestDays.begin(server);
  await days.moveTo(0);
  const relay = await server.startRelay();
  await server.record('ann');
  await server.relayed();
  await readAll();
  await relay.stop();
  return days;
}

/** Expects that the short reads stay the same once PostgreSQL has everything. */
async function expectLongForms(short: Json[]): Promise<void> {
  await server.startRelay();
  await server.relayed();
  for (const [i, path] of PATHS.entries()) {
    const long = await read(`${path}?${path.startsWith('points') ? 'awards' : 'numEvents'}=50`);
    const name = path.startsWith('points') ? 'awards' : 'history';
    expect(short[i]).toEqual({ ...long, [name]: long[name].slice(0, 10) });
  }
}

describe('the latest awards and days on leaderboards', () => {
  test('come from Redis once they have been read, with what has happened since', async () => {
    const days = await beginKept();
    for (const day of [1, 2, 3]) {
      await days.moveTo(day);
      for (const user of ['bo', 'ann', 'ann', 'ann', 'bo']) await server.record(user, day);
    }
    expect(await statusOf('points/xp?awards=11')).toBe(503);
    const short = await readAll();
    expect(short[0].awards).toHaveLength(10);
    expect(short[2].history).toHaveLength(1);
    expect(short[3].history).toHaveLength(4);
    await expectLongForms(short);
  });

  test('stay after many reads and changes, in at most nine elements', async () => {
    const days = await beginKept();
    await days.moveTo(1);
    for (let event = 0; event < 30; event++) {
      await server.record('ann');
      await readAll();
      await until(async () => (await listOf()).length <= 9);
    }
    await expectLongForms(await readAll());
  });

  test('include changes in the header although the user has changed since the read', async () => {
    await beginKept();
    for (let event = 0; event < 8; event++) await server.record('ann');
    const { redis } = server;
    const cells = (await readCells(server.pool))!;
    const user = (await readUserState(redis, cells, ANN))!;
    await server.record('ann');
    expect(await listOf()).toMatchObject({ length: 10 });
    const noHistory = { readUser: () => Promise.reject(new Error('PostgreSQL was asked')) };
    const deps = { redis, cells, history: noHistory };
    const opened = await new KeptHistories(deps).open({ ...ANN, user, now: server.clock.now() });
    await opened.part(awardsPart(1));
    await until(async () => (await listOf()).length === 2);
    await expectLongForms(await readAll());
  });

  test('are forgotten after a hundred changes without a read, and kept again after a read', async () => {
    await beginKept();
    for (let event = 0; event < 99; event++) await server.record('ann');
    expect(await listOf()).toMatchObject({ length: 100, keepsHistory: true });
    await server.record('ann');
    expect(await listOf()).toMatchObject({ length: 0, keepsHistory: false });
    expect(await statusOf('points/xp')).toBe(503);
    await server.startRelay();
    await server.relayed();
    await readAll();
    expect(await listOf()).toMatchObject({ keepsHistory: true });
  });

  test('are read again after a change that scripts do not add', async () => {
    await beginKept();
    await server.answer('POST', '/admin/v1/users/ann/points/xp/adjustments', {
      amount: 5,
      reason: 'A gift',
    });
    await server.record('ann');
    expect(await statusOf('points/xp')).toBe(503);
    expect(await statusOf('leaderboards/all')).toBe(503);
    await server.startRelay();
    await server.relayed();
    expect((await read('points/xp')).awards).toHaveLength(3);
  });

  test('come with the days of a metric, but for ranges that begin before the latest month', async () => {
    const days = await beginKept();
    const summary = (start: number): string => {
      const dateOf = (day: number): string =>
        new Date(server.clock.now() + day * DAY_MS).toISOString().slice(0, 10);
      return `metrics/lessons/event-summary?aggregation=daily&startDate=${dateOf(start)}&endDate=${dateOf(0)}`;
    };
    expect(await read(summary(0))).toMatchObject([{ total: 1, change: 1 }]);
    for (const day of [1, 3]) {
      await days.moveTo(day);
      for (const value of [0.1, 0.2]) await server.record('ann', value);
    }
    expect(await statusOf(summary(-60))).toBe(503);
    const short = await read(summary(-29));
    expect(short).toHaveLength(30);
    expect(short.slice(-2)).toMatchObject([
      { total: 1.3, change: 0 },
      { total: 1.6, change: 0.3 },
    ]);
    await server.startRelay();
    await server.relayed();
    expect((await read(summary(-60))).slice(-30)).toEqual(short);
  });

  test('expire, and an event of the user ends what is left', async () => {
    await beginKept();
    const { seconds } = await listOf();
    expect(seconds).toBeGreaterThan(7 * 86_400);
    const cells = (await readCells(server.pool))!;
    await server.redis.del(keys.history(DEFAULT_TENANT, cellOf(DEFAULT_TENANT, 'ann', cells), 'ann'));
    await server.record('ann');
    expect(await listOf()).toMatchObject({ length: 0, keepsHistory: false });
  });

  test('belong to no user who is not read', async () => {
    await beginKept();
    await server.record('bo');
    expect(await listOf('bo')).toMatchObject({ length: 0, keepsHistory: false });
  });

  test('go with their user', async () => {
    await beginKept();
    await server.startRelay();
    await server.startWorker();
    await server.answer('DELETE', '/admin/v1/users/ann');
    await until(async () => (await server.call('GET', '/v1/users/ann')).status === 404);
    const cells = (await readCells(server.pool))!;
    const key = keys.history(DEFAULT_TENANT, cellOf(DEFAULT_TENANT, 'ann', cells), 'ann');
    expect(await server.redis.exists(key)).toBe(0);
    await server.stopWorker();
  });
});
