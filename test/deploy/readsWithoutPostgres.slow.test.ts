import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { allCells, type Cells } from '../../src/base/cells.ts';
import { createLog } from '../../src/base/log.ts';
import { noProgress } from '../../src/base/progress.ts';
import { restore } from '../../src/commands/restore/restore.ts';
import { readCells } from '../../src/db/installation.ts';
import { createPool, type Pool } from '../../src/db/pool.ts';
import { compareStores } from '../../src/engine/recovery/compareReceipts.ts';
import { connectRedis, whenReady } from '../../src/redis/connection/redisClient.ts';
import { readReceipts } from '../../src/redis/scripts/redisReceipts.ts';
import { type PostgresNode, startPostgresNode } from '../support/postgresNode.ts';
import type { Json } from '../support/reading.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { START_MS } from '../support/testTime.ts';
import { until } from '../support/until.ts';

/** The reads of a first screen in their default forms, while PostgreSQL is away or has forgotten changes. */

const READS = ['', '/streak', '/points/xp', '/leaderboards/weekly', '/achievements', '/metrics', '/summary'];
/** The same from PostgreSQL. */
const LONG_READS = ['/streak?historyPeriods=8', '/points/xp?awards=11', '/leaderboards/weekly?numEvents=11'];
const silent = createLog('test', 'silent');

let older: string;
let postgres: PostgresNode;
let server: TestServer;
let pool: Pool;
let redis: Redis;
let cells: Cells;

beforeEach(async () => {
  older = await mkdtemp(join(tmpdir(), 'laurel-older-'));
  const database = await startPostgresNode();
  postgres = database.node;
  pool = createPool(database.url, silent);
  server = await startTestServer({ database: { url: database.url, drop: async () => {} } });
  await server.startRelay();
  redis = connectRedis(server.redisUrl, silent);
  await whenReady(redis);
  cells = (await readCells(pool))!;
});
afterEach(async () => {
  redis?.disconnect();
  await server?.stop();
  await pool?.end();
  await postgres?.remove();
  await rm(older, { recursive: true, force: true });
});

const noonOf = (day: number): number => START_MS + day * 86_400_000;

/** PostgreSQL stores the time of the test clock. */
async function moveToDay(day: number): Promise<void> {
  const clock = { now: new Date(noonOf(day)).toISOString(), stopped: true };
  expect(await server.call('POST', '/admin/v1/test-clock', clock)).toMatchObject({ status: 200 });
}

async function record(): Promise<void> {
  const event = { user: { id: 'ann' }, value: 1 };
  expect(await server.call('POST', '/v1/metrics/lessons/event', event)).toMatchObject({ status: 201 });
}

async function read(path: string): Promise<Json> {
  const { status, body } = await server.call('GET', `/v1/users/ann${path}`);
  expect({ path, status }).toEqual({ path, status: 200 });
  return body;
}

const readAll = (): Promise<Json[]> => Promise.all(READS.map(read));

const relayed = (events: number): Promise<unknown> =>
  until(async () => {
    const { rows } = await postgres.query('select count(*)::int as events from event_history', 'laurel');
    return rows[0].events === events;
  });

/** Expects answers with all events, which Redis alone gives. */
async function expectEvents(events: number): Promise<Json[]> {
  const answers = await readAll();
  const [, streak, points, rank, , metrics, summary] = answers;
  expect(streak.length).toBe(events);
  expect(points.awards).not.toEqual([]);
  expect(rank.history).toHaveLength(events);
  expect(metrics.find(({ key }: Json) => key === 'lessons').current).toBe(events);
  expect(summary).toMatchObject({ streak, points: { xp: points }, leaderboards: { weekly: rank }, metrics });
  return answers;
}

/** Expects that PostgreSQL tells the same in longer forms. */
async function expectLongForms([, streak, points, rank]: Json[]): Promise<void> {
  const [longStreak, longPoints, longRank] = await Promise.all(LONG_READS.map(read));
  const streakHistory = longStreak.streakHistory.slice(-7);
  expect(streak).toEqual({ ...longStreak, streakHistory });
  expect(points).toEqual({ ...longPoints, awards: longPoints.awards.slice(0, 10) });
  expect(rank).toEqual({ ...longRank, history: longRank.history.slice(0, 10) });
}

describe('the reads of a first screen', () => {
  test.each([
    ['stopped', () => postgres.stop()],
    ['killed', () => postgres.kill()],
  ])('are as of now while PostgreSQL is %s, and the same once it is back', async (_, end) => {
    await moveToDay(1);
    await record();
    await relayed(1);
    await readAll();
    await moveToDay(2);
    await end();
    await record();
    const during = await expectEvents(2);
    await postgres.restart();
    await relayed(2);
    expect(await readAll()).toEqual(during);
    await expectLongForms(during);
  });

  test('are as of now beside an older copy of PostgreSQL, and as of the copy after a restore of Redis', async () => {
    await moveToDay(1);
    await record();
    await relayed(1);
    await postgres.stop();
    await postgres.copyTo(older);
    await postgres.restart();
    await moveToDay(2);
    await record();
    await relayed(2);
    await readAll();
    await postgres.stop();
    await postgres.copyFrom(older);
    await postgres.restart();
    await moveToDay(3);
    await record();
    const beside = await expectEvents(3);
    await until(() =>
      compareStores({ pool, redis, cells }, () => readReceipts(redis, allCells(cells))).then(
        () => false,
        ({ message }: Error) => message.startsWith('PostgreSQL is older than Redis'),
      ),
    );
    expect(await readAll()).toEqual(beside);

    await restore({ pool, redis, progress: noProgress, now: noonOf(3), replace: true, testClock: true });
    await until(async () => (await server.call('GET', '/v1/users/ann')).status === 200);
    const after = await readAll();
    expect(after[5].find(({ key }: Json) => key === 'lessons').current).toBe(1);
    await expectLongForms(after);
  });
});
