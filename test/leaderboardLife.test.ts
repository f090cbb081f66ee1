import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLog } from '../src/base/log.ts';
import { createPool, type Pool } from '../src/db/pool.ts';
import { type Reply, startTestServer, type TestServer } from './support/server.ts';

/** The life of leaderboards as time passes, through the API, with the test clock. */

type Json = Reply['body'];

let server: TestServer;
let pool: Pool;
let redis: Redis;
const ids: Record<string, string> = {};

beforeAll(async () => {
  server = await startTestServer({ env: { LAUREL_CONFIG: 'none', LAUREL_SHARDS: '4' } });
  await server.startRelay();
  pool = createPool(server.databaseUrl, createLog('test', 'silent'));
  redis = new Redis(server.redisUrl);
  await at('2031-03-01T12:00:00Z');
  ids.city = await createOne('/attributes', { key: 'city', name: 'City', type: 'user' });
  ids.lessons = await createOne('/metrics', { key: 'lessons', name: 'Lessons' });
  const conditions = [{ metricId: ids.lessons, threshold: 1 }];
  expect((await admin('PUT', '/streaks/settings', { enabled: true, conditions })).status).toBe(200);
});
afterAll(async () => {
  await pool?.end();
  redis?.disconnect();
  await server?.stop();
});

const admin = (method: string, path: string, body?: unknown) => server.call(method, `/admin/v1${path}`, body);
const get = async (path: string): Promise<Json> => {
  const reply = await server.call('GET', `/v1${path}`);
  expect(reply).toMatchObject({ status: 200 });
  return reply.body;
};

async function createOne(path: string, item: object): Promise<string> {
  const { body } = await admin('POST', path, [item]);
  expect(body).toMatchObject({ issues: [] });
  return body.created[0].id;
}

const createBoard = (key: string, fields: object): Promise<string> =>
  createOne('/leaderboards', {
    ...{ key, name: key, rankBy: 'metric', metricId: ids.lessons, status: 'active' },
    ...fields,
  });

async function at(instant: string): Promise<void> {
  const reply = await admin('POST', '/test-clock', { now: instant });
  expect(reply).toMatchObject({ status: 200 });
}

async function record(id: string, value: number, user: object = {}): Promise<Json> {
  const { status, body } = await server.call('POST', '/v1/metrics/lessons/event', { user: { id, ...user }, value });
  expect(status).toBe(201);
  return body;
}

const ranking = async (key: string, query = ''): Promise<string[]> =>
  (await get(`/leaderboards/${key}?limit=1000${query}`)).rankings.map(
    ({ rank, userId, value }: Json) => `${rank} ${userId} ${value}`,
  );
const keysOf = async (id: string): Promise<string[]> => {
  const { rows } = await pool.query<{ no: number }>(`select no from entities where id = $1`, [id]);
  // A deleted one is the last that there was.
  const no =
    rows[0]?.no ?? (await pool.query(`select last from entity_numbers where kind = 'leaderboards'`)).rows[0].last;
  return redis.keys(`{1:lb:${no}:*}`);
};
const winners = async (id: string, query = ''): Promise<string[]> =>
  (await admin('GET', `/leaderboards/${id}/winners?limit=100${query}`)).body.map(
    ({ run, rank, userId, value }: Json) => `${run.start} ${rank} ${userId} ${value}`,
  );

describe('the status', () => {
  test('follows the date where the tenant is, in every read, and is stored with an entry in the audit log', async () => {
    await admin('PATCH', '/settings', { defaultTimeZone: 'America/New_York' });
    const id = await createBoard('april', { status: 'scheduled', start: '2031-04-10', end: '2031-04-20' });
    const statuses = async (): Promise<string[]> => {
      const listed = (await get('/leaderboards?includeFinished=true')).find(({ key }: Json) => key === 'april');
      const exported = (await admin('GET', '/config')).body.leaderboards.find(({ key }: Json) => key === 'april');
      const shown = [listed, await get('/leaderboards/april'), (await admin('GET', `/leaderboards/${id}`)).body];
      return [...new Set([...shown, exported].map(({ status }) => status))];
    };
    const stored = async (): Promise<string> =>
      (await pool.query(`select body ->> 'status' as status from entities where id = $1`, [id])).rows[0].status;

    await at('2031-04-10T03:59:00Z');
    expect([await statuses(), await stored()]).toEqual([['scheduled'], 'scheduled']);
    await at('2031-04-10T04:00:00Z');
    expect([await statuses(), await stored()]).toEqual([['active'], 'active']);
    await at('2031-04-21T03:59:00Z');
    expect(await statuses()).toEqual(['active']);
    await at('2031-04-21T04:00:00Z');
    expect([await statuses(), await stored()]).toEqual([['finished'], 'active']);
    expect((await get('/leaderboards')).map(({ key }: Json) => key)).not.toContain('april');
    await at('2031-04-21T12:00:00Z');
    expect([await statuses(), await stored()]).toEqual([['finished'], 'finished']);

    const audit: Json[] = (await admin('GET', `/audit?id=${id}`)).body;
    expect(audit.map(({ actor, at: when, after }) => [actor, when, after.status])).toEqual([
      ['schedule', '2031-04-21T12:00:00.000Z', 'finished'],
      ['schedule', '2031-04-10T04:00:00.000Z', 'active'],
      [expect.not.stringContaining('schedule'), expect.any(String), 'scheduled'],
    ]);
    await admin('PATCH', '/settings', { defaultTimeZone: 'UTC' });
  });
});

describe('a leaderboard with an end', () => {
  test('takes what users do on their own dates, and is final when the last zone is over', async () => {
    const id = await createBoard('may', { status: 'scheduled', start: '2031-05-10', end: '2031-05-11' });
    // Which date it is where they are: Kiritimati is 14 hours ahead of UTC, the last zone 12 behind.
    const zones = { first: 'Pacific/Kiritimati', utc: 'UTC', pago: 'Pacific/Pago_Pago', last: 'Etc/GMT+12' };
    const everybody = async (instant: string): Promise<string[]> => {
      await at(instant);
      const counted: string[] = [];
      for (const [user, tz] of Object.entries(zones)) {
        const { leaderboards } = await record(user, 1, { tz });
        if (leaderboards.may) counted.push(user);
      }
      return counted;
    };
    expect(await everybody('2031-05-09T09:59:00Z')).toEqual([]);
    expect(await everybody('2031-05-09T10:00:00Z')).toEqual(['first']);
    expect(await everybody('2031-05-10T00:00:00Z')).toEqual(['first', 'utc']);
    expect(await everybody('2031-05-10T11:59:00Z')).toEqual(['first', 'utc', 'pago']);
    expect(await everybody('2031-05-11T09:59:00Z')).toEqual(['first', 'utc', 'pago', 'last']);
    expect(await everybody('2031-05-11T10:00:00Z')).toEqual(['utc', 'pago', 'last']);
    expect(await everybody('2031-05-12T00:00:00Z')).toEqual(['pago', 'last']);
    expect(await everybody('2031-05-12T11:59:00Z')).toEqual(['last']);
    expect(await winners(id)).toEqual([]);
    const open = await ranking('may');
    expect(open).toHaveLength(4);
    expect(await keysOf(id)).toHaveLength(1);
    expect(await everybody('2031-05-12T12:00:00Z')).toEqual([]);
    expect(await ranking('may')).toEqual(open);
    expect(await keysOf(id)).toEqual([]);
    expect(await winners(id)).toEqual(open.slice(0, 3).map((place) => `2031-05-10 ${place}`));
    expect(await get('/users/last/leaderboards/may')).toMatchObject({ rank: expect.any(Number), history: [{}, {}] });
  });
});
