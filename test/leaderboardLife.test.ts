import type { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cellOf, cellsOf } from '../src/base/cells.ts';
import { createLog } from '../src/base/log.ts';
import { createPool, type Pool } from '../src/db/pool.ts';
import { keys } from '../src/redis/state/redisKeys.ts';
import { type BoardState, boardsOf } from '../src/redis/state/userState.ts';
import { testCells } from './support/cells.ts';
import { allKeys, openRedis } from './support/redisData.ts';
import { type Reply, startTestServer, type TestServer } from './support/server.ts';

/** The life of leaderboards as time passes, through the API, with the test clock. */

type Json = Reply['body'];

const CELLS = testCells(4);
let server: TestServer;
let pool: Pool;
let redis: Redis;
const ids: Record<string, string> = {};

beforeAll(async () => {
  server = await startTestServer({ env: { LAUREL_CONFIG: 'none', LAUREL_CELLS: String(CELLS.count) } });
  await server.startRelay();
  pool = createPool(server.databaseUrl, createLog('test', 'silent'));
  redis = await openRedis(server.redisUrl);
  await at('2031-03-01T12:00:00Z');
  ids.city = await createOne('/attributes', { key: 'city', name: 'City', type: 'user' });
  ids.lessons = await createOne('/metrics', { key: 'lessons', name: 'Lessons' });
  const metrics = [{ key: 'lessons', threshold: 1 }];
  expect((await admin('PATCH', '/streaks/settings', { metrics })).status).toBe(200);
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
    key,
    name: key,
    rankBy: 'metric',
    metricId: ids.lessons,
    status: 'active',
    ...fields,
  });

async function at(instant: string): Promise<void> {
  const reply = await admin('POST', '/test-clock', { now: instant });
  expect(reply).toMatchObject({ status: 200 });
}

async function record(id: string, value: number, user: object = {}): Promise<Json> {
  const { status, body } = await server.call('POST', '/v1/metrics/lessons/event', {
    user: { id, ...user },
    value,
  });
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
    rows[0]?.no ??
    (await pool.query(`select last from entity_numbers where kind = 'leaderboards'`)).rows[0].last;
  const prefixes = cellsOf(1, CELLS).map((cell) => keys.tenantPrefix(1, cell));
  return (await Promise.all(prefixes.map((prefix) => allKeys(redis, `${prefix}lb:${no}:*`)))).flat();
};
const boardsOfUser = async (userId: string): Promise<Map<number, BoardState>> =>
  boardsOf((await redis.hgetBuffer(keys.user(1, cellOf(1, userId, CELLS), userId), 'h'))!);
const winners = async (id: string, query = ''): Promise<string[]> =>
  (await admin('GET', `/leaderboards/${id}/winners?limit=100${query}`)).body.map(
    ({ run, rank, userId, value }: Json) => `${run.start} ${rank} ${userId} ${value}`,
  );

describe('the status', () => {
  test('follows the date of the tenant in every read, and each change is in the audit log', async () => {
    await admin('PATCH', '/settings', { defaultTimeZone: 'America/New_York' });
    const id = await createBoard('april', { status: 'scheduled', start: '2031-04-10', end: '2031-04-20' });
    const statuses = async (): Promise<string[]> => {
      const listed = (await get('/leaderboards?includeFinished=true')).find(
        ({ key }: Json) => key === 'april',
      );
      const exported = (await admin('GET', '/config')).body.leaderboards.find(
        ({ key }: Json) => key === 'april',
      );
      const shown = [
        listed,
        await get('/leaderboards/april'),
        (await admin('GET', `/leaderboards/${id}`)).body,
      ];
      return [...new Set([...shown, exported].map(({ status }) => status))];
    };
    const stored = async (): Promise<string> =>
      (await pool.query(`select body ->> 'status' as status from entities where id = $1`, [id])).rows[0]
        .status;

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
  test('counts events by the date of each user, and is final once the date has ended in the last zone', async () => {
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
    expect(new Set((await keysOf(id)).map((key) => key.split(':lb:')[1])).size).toBe(1);
    expect(await everybody('2031-05-12T12:00:00Z')).toEqual([]);
    expect(await ranking('may')).toEqual(open);
    expect(await keysOf(id)).toEqual([]);
    expect(await winners(id)).toEqual(open.slice(0, 3).map((rank) => `2031-05-10 ${rank}`));
    expect(await get('/users/last/leaderboards/may')).toMatchObject({
      rank: expect.any(Number),
      history: [{}, {}],
    });
  });
});

describe('runs', () => {
  const RUN = '&run=2031-06-02';

  test('become final one by one, in every group, and read the same', async () => {
    const weekly = { status: 'scheduled', runUnit: 'day', runInterval: 7, start: '2031-06-02' };
    const cities = await createBoard('cities', { ...weekly, breakdownAttributes: [ids.city] });
    const small = await createBoard('small', { ...weekly, maxParticipants: 2 });
    const mornings = await createBoard('mornings', { ...weekly, startTime: '06:00', endTime: '12:00' });
    const lives = (city: string) => ({ attributes: { city } });
    await at('2031-06-03T09:00:00Z');
    await record('ann', 3, lives('oslo'));
    await record('bob', 5, lives('rome'));
    await record('cid', 3, lives('oslo'));
    await at('2031-06-08T20:00:00Z');
    await record('ann', 1);
    await record('bob', 1, lives('oslo'));
    await record('dan', 4, lives('rome'));
    await at('2031-06-09T08:00:00Z');
    // In the second week, which does not touch the first.
    await record('ann', 9, lives('rome'));
    await server.call('PUT', '/v1/users/zoe', lives('rome'));

    const reads = async (): Promise<unknown> => {
      const read: Record<string, unknown> = {};
      for (const key of ['cities', 'small', 'mornings']) {
        for (const user of ['ann', 'bob', 'cid', 'dan', 'zoe']) {
          read[`${user} on ${key}`] = await get(`/users/${user}/leaderboards/${key}?run=2031-06-02`);
          read[`${key} from ${user}`] = await ranking(key, `${RUN}&userId=${user}`);
        }
      }
      read.oslo = await ranking('cities', `${RUN}&userAttributes=city:oslo`);
      read.rome = await ranking('cities', `${RUN}&userAttributes=city:rome`);
      read.bern = await ranking('cities', `${RUN}&userAttributes=city:bern`);
      read.small = await ranking('small', RUN);
      read.mornings = await ranking('mornings', RUN);
      return read;
    };
    const before = await reads();
    expect(before).toMatchObject({
      oslo: ['1 bob 6', '2 ann 4', '3 cid 3'],
      rome: ['1 dan 4'],
      bern: [],
      small: ['1 bob 6', '2 ann 4'],
      mornings: ['1 bob 5', '2 ann 3', '3 cid 3'],
      // A user who has moved to Rome since is in the group of that time.
      'cities from ann': ['2 ann 4', '3 cid 3'],
      'ann on cities': { rank: 2, value: 4 },
      'cid on small': { rank: null, value: null },
      'cities from zoe': [],
      'zoe on cities': { rank: null, value: null, history: [] },
    });
    await at('2031-06-09T12:00:00Z');
    expect(await reads()).toEqual(before);
    const runs = (keys: string[]) => new Set(keys.map((key) => key.split(':')[4]));
    expect(runs([...(await keysOf(cities)), ...(await keysOf(small)), ...(await keysOf(mornings))])).toEqual(
      new Set([String(Date.parse('2031-06-09') / 86_400_000)]),
    );
    expect(await winners(cities)).toEqual([
      ...['2031-06-02 1 bob 6', '2031-06-02 2 ann 4', '2031-06-02 3 cid 3', '2031-06-02 1 dan 4'],
    ]);
    const [first] = (await admin('GET', `/leaderboards/${cities}/winners?limit=1`)).body;
    expect(first).toEqual({
      run: { start: '2031-06-02', end: '2031-06-08', finalized: '2031-06-09T12:00:00.000Z' },
      breakdownAttributeValues: [{ key: 'city', value: 'oslo' }],
      rank: 1,
      userId: 'bob',
      userName: null,
      value: 6,
    });
    await at('2031-06-16T12:00:00Z');
    expect(await winners(small)).toEqual(['2031-06-09 1 ann 9', '2031-06-02 1 bob 6', '2031-06-02 2 ann 4']);
    expect(await winners(small, '&run=2031-06-02&skip=1')).toEqual(['2031-06-02 2 ann 4']);
    expect((await admin('GET', `/leaderboards/${ids.city}/winners`)).status).toBe(404);
    // The last thing about the boards that is kept is what history has of them.
    expect(await reads()).toEqual(before);
  });

  test('do not depend on how far the clock moves at once', async () => {
    const daily = {
      status: 'scheduled',
      start: '2031-07-01',
      end: '2031-07-20',
      runUnit: 'day',
      runInterval: 1,
    };
    const id = await createBoard('days', daily);
    await at('2031-07-01T12:00:00Z');
    await record('ann', 1);
    await at('2031-07-03T12:00:00Z');
    await record('bob', 2);
    await record('ann', 2);
    await at('2031-09-01T00:00:00Z');
    expect(await winners(id)).toEqual(['2031-07-03 1 bob 2', '2031-07-03 2 ann 2', '2031-07-01 1 ann 1']);
    const first = (await admin('GET', `/leaderboards/${id}/winners?limit=1`)).body[0];
    expect(first.run.finalized).toBe('2031-07-04T12:00:00.000Z');
    expect((await admin('GET', `/audit?id=${id}&limit=1`)).body[0]).toMatchObject({
      at: '2031-07-21T12:00:00.000Z',
      after: { status: 'finished' },
    });
    expect(await get('/leaderboards/days')).toMatchObject({
      status: 'finished',
      start: '2031-07-20',
      rankings: [],
    });
    expect(await ranking('days', '&run=2031-07-03')).toEqual(['1 bob 2', '2 ann 2']);
  });
});

describe('a leaderboard whose end is moved to today', () => {
  test('ends with the date, and drops the run that had begun in other zones', async () => {
    await at('2031-09-10T12:00:00Z');
    const id = await createBoard('short', { start: '2031-09-10', runUnit: 'day', runInterval: 1 });
    await record('ivy', 1, { tz: 'Europe/Lisbon' });
    // For whom it is the 11th.
    await record('kai', 1, { tz: 'Pacific/Kiritimati' });
    expect(await keysOf(id)).toHaveLength(2);
    const changed = await admin('PATCH', '/leaderboards', [{ id, end: '2031-09-09' }]);
    expect(changed.body.issues[0].message).toContain('end must not be before today, 2031-09-10');
    expect((await admin('PATCH', '/leaderboards', [{ id, end: '2031-09-10' }])).body.issues).toEqual([]);
    await at('2031-09-12T00:00:00Z');
    expect(await winners(id)).toEqual(['2031-09-10 1 ivy 1']);
    expect(await keysOf(id)).toEqual([]);
    expect(await get('/leaderboards/short')).toMatchObject({
      status: 'finished',
      start: '2031-09-10',
      end: '2031-09-10',
    });
  });
});

describe('a scheduled leaderboard of streaks', () => {
  test('is filled with existing users when it starts, even within one move of the clock', async () => {
    for (const day of ['01', '02', '03']) {
      await at(`2031-10-${day}T12:00:00Z`);
      await record('eve', 1);
      if (day !== '01') await record('fay', 1);
    }
    const fields = { rankBy: 'streak', metricId: undefined, status: 'scheduled' };
    const id = await createBoard('streaks', { ...fields, start: '2031-10-04', end: '2031-10-04' });
    const later = await createBoard('later', { ...fields, start: '2031-10-20' });
    expect(await ranking('streaks')).toEqual([]);
    await at('2031-10-30T00:00:00Z');
    // On that date the streaks were still there; they ended with it.
    expect(await winners(id)).toEqual(['2031-10-04 1 eve 3', '2031-10-04 2 fay 2']);
    expect(await ranking('later')).toEqual([]);
    expect(await winners(later)).toEqual([]);
  });
});

describe('a leaderboard that is deleted', () => {
  test('leaves no rankings in Redis and no score in the state of users', async () => {
    await at('2031-11-03T12:00:00Z');
    const id = await createBoard('gone', { start: '2031-11-01' });
    await record('gus', 2);
    expect(await keysOf(id)).toHaveLength(1);
    const key = (await keysOf(id))[0]!;
    expect((await admin('DELETE', `/leaderboards?ids=${id}`)).body.deleted).toHaveLength(1);
    await at('2031-11-03T12:30:00Z');
    expect(await redis.exists(key)).toBe(0);
    const no = Number(key.split(':')[3]);
    expect((await pool.query('select from due_leaderboards where leaderboard = $1', [no])).rows).toHaveLength(
      0,
    );

    await createBoard('other', { start: '2031-11-01' });
    await record('gus', 1);
    const boards = await boardsOfUser('gus');
    expect(boards.has(no)).toBe(false);
    expect([...boards.values()]).toContainEqual(expect.objectContaining({ score: 3 }));
    expect(await ranking('other', '&userId=gus')).toEqual(['1 gus 3']);
  });
});

describe('tenants', () => {
  test('have independent leaderboards, each by its own date', async () => {
    await at('2031-12-01T12:00:00Z');
    // The users of the tests above belong to one of the tenants.
    expect(await admin('PATCH', '/settings', { multiTenancy: true, adoptAs: 'first' })).toMatchObject({
      status: 200,
    });
    await admin(
      'POST',
      '/tenants',
      ['acme', 'umbrella'].map((customerId) => ({ customerId, name: customerId })),
    );
    const as = (tenant: string, method: string, path: string, body?: unknown) =>
      server.call(method, path, body, { 'Tenant-ID': tenant });
    const config = (defaultTimeZone: string) => ({
      settings: { defaultTimeZone },
      metrics: [{ key: 'lessons', name: 'Lessons' }],
      leaderboards: [
        {
          key: 'race',
          name: 'R',
          rankBy: 'metric',
          metric: 'lessons',
          start: '2031-12-03',
          end: '2031-12-03',
        },
      ],
    });
    expect((await as('acme', 'PUT', '/admin/v1/config', config('Asia/Tokyo'))).status).toBe(200);
    expect((await as('umbrella', 'PUT', '/admin/v1/config', config('America/New_York'))).status).toBe(200);
    const statuses = async () =>
      Promise.all(
        ['acme', 'umbrella'].map(
          async (tenant) => (await as(tenant, 'GET', '/v1/leaderboards/race')).body.status,
        ),
      );
    await at('2031-12-02T15:00:00Z');
    expect(await statuses()).toEqual(['active', 'scheduled']);
    await at('2031-12-03T12:00:00Z');
    for (const [tenant, value] of [
      ['acme', 1],
      ['umbrella', 2],
    ] as const) {
      const user = { id: 'ann' };
      expect((await as(tenant, 'POST', '/v1/metrics/lessons/event', { user, value })).status).toBe(201);
    }
    await at('2031-12-03T15:00:00Z');
    expect(await statuses()).toEqual(['finished', 'active']);
    await at('2031-12-04T12:00:00Z');
    for (const [tenant, value] of [
      ['acme', 1],
      ['umbrella', 2],
    ] as const) {
      const [{ id }] = (await as(tenant, 'GET', '/admin/v1/leaderboards')).body;
      const { body } = await as(tenant, 'GET', `/admin/v1/leaderboards/${id}/winners`);
      expect(body).toMatchObject([{ userId: 'ann', rank: 1, value }]);
      // Another tenant's leaderboard is nobody's.
      const other = tenant === 'acme' ? 'umbrella' : 'acme';
      expect((await as(other, 'GET', `/admin/v1/leaderboards/${id}/winners`)).status).toBe(404);
    }
  });
});
