import type { Redis } from 'ioredis';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { cellOf, cellsOf } from '../../src/base/cells.ts';
import { type BoardState, boardsOf } from '../../src/redis/decoding/userState.ts';
import { keys } from '../../src/redis/keys/redisKeys.ts';
import { testCells } from '../support/cells.ts';
import { items, metricBoard } from '../support/items.ts';
import { type Json, moveClock } from '../support/reading.ts';
import { allKeys } from '../support/redisData.ts';
import { TestDays } from '../support/testDays.ts';
import { useServer } from '../support/useServer.ts';

/** The life of leaderboards as time passes, through the API, with the test clock. */

const CELLS = testCells(4);
const CONFIG = {
  attributes: { user: items('city') },
  metrics: items('lessons'),
  streak: { metrics: [{ key: 'lessons', threshold: 1 }] },
};

const server = useServer({
  config: CONFIG,
  env: { LAUREL_CELLS: String(CELLS.count) },
  relay: true,
  tenantEach: true,
});
const { admin, call } = server;
let redis: Redis;
let days: TestDays;
let cityId: string;
let lessonsId: string;

beforeAll(() => {
  ({ redis } = server);
});
beforeEach(async () => {
  days = await TestDays.begin(server);
  [cityId, lessonsId] = await Promise.all([
    server.idOf('/attributes', 'city'),
    server.idOf('/metrics', 'lessons'),
  ]);
});

/** Date of a day of the test. */
const day = (number: number): string => days.date(number);
const get = (path: string): Promise<Json> => server.get(`/v1${path}`);

const createOne = async (path: string, item: object): Promise<string> => (await server.create(path, item)).id;

const createBoard = (key: string, fields: object): Promise<string> =>
  createOne('/leaderboards', {
    key,
    name: key,
    rankBy: 'metric',
    metricId: lessonsId,
    status: 'active',
    ...fields,
  });

const at = (instant: string): Promise<void> => moveClock(server, instant);

const record = (id: string, value: number, user: object = {}): Promise<Json> =>
  server.record({ id, ...user }, value);

const ranking = async (key: string, query = ''): Promise<string[]> =>
  (await get(`/leaderboards/${key}?limit=1000${query}`)).rankings.map(
    ({ rank, userId, value }: Json) => `${rank} ${userId} ${value}`,
  );
const keysOf = async (id: string): Promise<string[]> => {
  const { rows } = await server.pool.query<{ no: number }>(`select no from entities where id = $1`, [id]);
  // A deleted one is the last that there was.
  const no =
    rows[0]?.no ??
    (
      await server.pool.query(`select last from entity_numbers where kind = 'leaderboards' and tenant = $1`, [
        server.no,
      ])
    ).rows[0].last;
  const prefixes = cellsOf(server.no, CELLS).map((cell) => keys.tenantPrefix(server.no, cell));
  return (await Promise.all(prefixes.map((prefix) => allKeys(redis, `${prefix}lb:${no}:*`)))).flat();
};
const boardsOfUser = async (userId: string): Promise<Map<number, BoardState>> =>
  boardsOf((await redis.hgetBuffer(keys.user(server.no, cellOf(server.no, userId, CELLS), userId), 'h'))!);
const winners = async (id: string, query = ''): Promise<string[]> =>
  (await admin('GET', `/leaderboards/${id}/winners?limit=100${query}`)).body.map(
    ({ run, rank, userId, value }: Json) => `${run.start} ${rank} ${userId} ${value}`,
  );

describe('the status', () => {
  test('follows the date of the tenant in every read, and each change is in the audit log', async () => {
    await admin('PATCH', '/settings', { defaultTimeZone: 'America/La_Paz' });
    const id = await createBoard('april', { status: 'scheduled', start: day(1), end: day(11) });
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
      (await server.pool.query(`select body ->> 'status' as status from entities where id = $1`, [id]))
        .rows[0].status;

    await at(`${day(1)}T03:59:00Z`);
    expect([await statuses(), await stored()]).toEqual([['scheduled'], 'scheduled']);
    await at(`${day(1)}T04:00:00Z`);
    expect([await statuses(), await stored()]).toEqual([['active'], 'active']);
    await at(`${day(12)}T03:59:00Z`);
    expect(await statuses()).toEqual(['active']);
    await at(`${day(12)}T04:00:00Z`);
    expect([await statuses(), await stored()]).toEqual([['finished'], 'active']);
    expect((await get('/leaderboards')).map(({ key }: Json) => key)).not.toContain('april');
    await at(`${day(12)}T12:00:00Z`);
    expect([await statuses(), await stored()]).toEqual([['finished'], 'finished']);

    const audit: Json[] = (await admin('GET', `/audit?id=${id}`)).body;
    expect(audit.map(({ actor, at: when, after }) => [actor, when, after.status])).toEqual([
      ['schedule', `${day(12)}T12:00:00.000Z`, 'finished'],
      ['schedule', `${day(1)}T04:00:00.000Z`, 'active'],
      [expect.not.stringContaining('schedule'), expect.any(String), 'scheduled'],
    ]);
  });
});

describe('a leaderboard with an end', () => {
  test('counts events by the date of each user, and is final once the date has ended in the last zone', async () => {
    const id = await createBoard('may', { status: 'scheduled', start: day(1), end: day(2) });
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
    expect(await everybody(`${day(0)}T09:59:00Z`)).toEqual([]);
    expect(await everybody(`${day(0)}T10:00:00Z`)).toEqual(['first']);
    expect(await everybody(`${day(1)}T00:00:00Z`)).toEqual(['first', 'utc']);
    expect(await everybody(`${day(1)}T11:59:00Z`)).toEqual(['first', 'utc', 'pago']);
    expect(await everybody(`${day(2)}T09:59:00Z`)).toEqual(['first', 'utc', 'pago', 'last']);
    expect(await everybody(`${day(2)}T10:00:00Z`)).toEqual(['utc', 'pago', 'last']);
    expect(await everybody(`${day(3)}T00:00:00Z`)).toEqual(['pago', 'last']);
    expect(await everybody(`${day(3)}T11:59:00Z`)).toEqual(['last']);
    expect(await winners(id)).toEqual([]);
    const open = await ranking('may');
    expect(open).toHaveLength(4);
    expect(new Set((await keysOf(id)).map((key) => key.split(':lb:')[1])).size).toBe(1);
    expect(await everybody(`${day(3)}T12:00:00Z`)).toEqual([]);
    expect(await ranking('may')).toEqual(open);
    expect(await keysOf(id)).toEqual([]);
    expect(await winners(id)).toEqual(open.slice(0, 3).map((rank) => `${day(1)} ${rank}`));
    expect(await get('/users/last/leaderboards/may')).toMatchObject({
      rank: expect.any(Number),
      history: [{}, {}],
    });
  });
});

describe('runs', () => {
  test('become final one by one, in every group, and read the same', async () => {
    const run = `&run=${day(1)}`;
    const weekly = { status: 'scheduled', runUnit: 'day', runInterval: 7, start: day(1) };
    const cities = await createBoard('cities', { ...weekly, breakdownAttributes: [cityId] });
    const small = await createBoard('small', { ...weekly, maxParticipants: 2 });
    const mornings = await createBoard('mornings', { ...weekly, startTime: '06:00', endTime: '12:00' });
    const lives = (city: string) => ({ attributes: { city } });
    await at(`${day(2)}T09:00:00Z`);
    await record('ann', 3, lives('oslo'));
    await record('bob', 5, lives('rome'));
    await record('cid', 3, lives('oslo'));
    await at(`${day(7)}T20:00:00Z`);
    await record('ann', 1);
    await record('bob', 1, lives('oslo'));
    await record('dan', 4, lives('rome'));
    await at(`${day(8)}T08:00:00Z`);
    // In the second week, which does not touch the first.
    await record('ann', 9, lives('rome'));
    await call('PUT', '/v1/users/zoe', lives('rome'));

    const reads = async (): Promise<unknown> => {
      const read: Record<string, unknown> = {};
      for (const key of ['cities', 'small', 'mornings']) {
        for (const user of ['ann', 'bob', 'cid', 'dan', 'zoe']) {
          read[`${user} on ${key}`] = await get(`/users/${user}/leaderboards/${key}?run=${day(1)}`);
          read[`${key} from ${user}`] = await ranking(key, `${run}&userId=${user}`);
        }
      }
      read.oslo = await ranking('cities', `${run}&userAttributes=city:oslo`);
      read.rome = await ranking('cities', `${run}&userAttributes=city:rome`);
      read.bern = await ranking('cities', `${run}&userAttributes=city:bern`);
      read.small = await ranking('small', run);
      read.mornings = await ranking('mornings', run);
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
    await at(`${day(8)}T12:00:00Z`);
    expect(await reads()).toEqual(before);
    const runs = (keys: string[]) => new Set(keys.map((key) => key.split(':')[4]));
    expect(runs([...(await keysOf(cities)), ...(await keysOf(small)), ...(await keysOf(mornings))])).toEqual(
      new Set([String(Date.parse(day(8)) / 86_400_000)]),
    );
    expect(await winners(cities)).toEqual([
      ...[`${day(1)} 1 bob 6`, `${day(1)} 2 ann 4`, `${day(1)} 3 cid 3`, `${day(1)} 1 dan 4`],
    ]);
    const [first] = (await admin('GET', `/leaderboards/${cities}/winners?limit=1`)).body;
    expect(first).toEqual({
      run: { start: day(1), end: day(7), finalized: `${day(8)}T12:00:00.000Z` },
      breakdownAttributeValues: [{ key: 'city', value: 'oslo' }],
      rank: 1,
      userId: 'bob',
      userName: null,
      value: 6,
    });
    await at(`${day(15)}T12:00:00Z`);
    expect(await winners(small)).toEqual([`${day(8)} 1 ann 9`, `${day(1)} 1 bob 6`, `${day(1)} 2 ann 4`]);
    expect(await winners(small, `&run=${day(1)}&skip=1`)).toEqual([`${day(1)} 2 ann 4`]);
    expect((await admin('GET', `/leaderboards/${cityId}/winners`)).status).toBe(404);
    // The last thing about the boards that is kept is what history has of them.
    expect(await reads()).toEqual(before);
  });

  test('do not depend on how far the clock moves at once', async () => {
    const daily = {
      status: 'scheduled',
      start: day(1),
      end: day(20),
      runUnit: 'day',
      runInterval: 1,
    };
    const id = await createBoard('days', daily);
    await at(`${day(1)}T12:00:00Z`);
    await record('ann', 1);
    await at(`${day(3)}T12:00:00Z`);
    await record('bob', 2);
    await record('ann', 2);
    await at(`${day(63)}T00:00:00Z`);
    expect(await winners(id)).toEqual([`${day(3)} 1 bob 2`, `${day(3)} 2 ann 2`, `${day(1)} 1 ann 1`]);
    const first = (await admin('GET', `/leaderboards/${id}/winners?limit=1`)).body[0];
    expect(first.run.finalized).toBe(`${day(4)}T12:00:00.000Z`);
    expect((await admin('GET', `/audit?id=${id}&limit=1`)).body[0]).toMatchObject({
      at: `${day(21)}T12:00:00.000Z`,
      after: { status: 'finished' },
    });
    expect(await get('/leaderboards/days')).toMatchObject({
      status: 'finished',
      start: day(20),
      rankings: [],
    });
    expect(await ranking('days', `&run=${day(3)}`)).toEqual(['1 bob 2', '2 ann 2']);
  });
});

describe('a leaderboard whose end is moved to today', () => {
  test('ends with the date, and drops the run that had begun in other zones', async () => {
    await at(`${day(1)}T12:00:00Z`);
    const id = await createBoard('short', { start: day(1), runUnit: 'day', runInterval: 1 });
    await record('ivy', 1, { tz: 'Europe/Lisbon' });
    // For whom it is the 11th.
    await record('kai', 1, { tz: 'Pacific/Kiritimati' });
    expect(await keysOf(id)).toHaveLength(2);
    const changed = await admin('PATCH', '/leaderboards', [{ id, end: day(0) }]);
    expect(changed.body.issues[0].message).toContain(`end must not be before today, ${day(1)}`);
    expect((await admin('PATCH', '/leaderboards', [{ id, end: day(1) }])).body.issues).toEqual([]);
    await at(`${day(3)}T00:00:00Z`);
    expect(await winners(id)).toEqual([`${day(1)} 1 ivy 1`]);
    expect(await keysOf(id)).toEqual([]);
    expect(await get('/leaderboards/short')).toMatchObject({
      status: 'finished',
      start: day(1),
      end: day(1),
    });
  });
});

describe('a scheduled leaderboard of streaks', () => {
  test.each([{}, { endTime: '06:00' }])(
    'is filled with existing users when it starts, even within one move of the clock: %j',
    async (hours) => {
      for (const number of [1, 2, 3]) {
        await days.moveTo(number);
        await record('eve', 1);
        if (number > 1) await record('fay', 1);
      }
      const fields = { rankBy: 'streak', metricId: undefined, status: 'scheduled', ...hours };
      const id = await createBoard('streaks', { ...fields, start: day(4), end: day(4) });
      const later = await createBoard('later', { ...fields, start: day(20) });
      expect(await ranking('streaks')).toEqual([]);
      await at(`${day(30)}T00:00:00Z`);
      // On that date the streaks were still there; they ended with it.
      expect(await winners(id)).toEqual([`${day(4)} 1 eve 3`, `${day(4)} 2 fay 2`]);
      expect(await ranking('later')).toEqual([]);
      expect(await winners(later)).toEqual([]);
    },
  );
});

describe('a leaderboard that is deleted', () => {
  test('leaves no rankings in Redis and no score in the state of users', async () => {
    await at(`${day(3)}T12:00:00Z`);
    const id = await createBoard('gone', { start: day(1) });
    await record('gus', 2);
    expect(await keysOf(id)).toHaveLength(1);
    const key = (await keysOf(id))[0]!;
    expect((await admin('DELETE', `/leaderboards?ids=${id}`)).body.deleted).toHaveLength(1);
    await at(`${day(3)}T12:30:00Z`);
    expect(await redis.exists(key)).toBe(0);
    const no = Number(key.split(':')[3]);
    const due = await server.pool.query(
      'select from due_leaderboards where tenant = $1 and leaderboard = $2',
      [server.no, no],
    );
    expect(due.rowCount).toBe(0);

    await createBoard('other', { start: day(1) });
    await record('gus', 1);
    const boards = await boardsOfUser('gus');
    expect(boards.has(no)).toBe(false);
    expect([...boards.values()]).toContainEqual(expect.objectContaining({ score: 3 }));
    expect(await ranking('other', '&userId=gus')).toEqual(['1 gus 3']);
  });
});

describe('tenants', () => {
  test('have independent leaderboards, each by its own date', async () => {
    await at(`${day(1)}T12:00:00Z`);
    await admin(
      'POST',
      '/tenants',
      ['acme', 'umbrella'].map((customerId) => ({ customerId, name: customerId })),
    );
    const as = (tenant: string, method: string, path: string, body?: unknown) =>
      call(method, path, body, { 'Tenant-ID': tenant });
    const config = (defaultTimeZone: string) => ({
      settings: { defaultTimeZone },
      metrics: items('lessons'),
      leaderboards: [metricBoard('race', { name: 'R', start: day(3), end: day(3) })],
    });
    expect((await as('acme', 'PUT', '/admin/v1/config', config('Asia/Tokyo'))).status).toBe(200);
    expect((await as('umbrella', 'PUT', '/admin/v1/config', config('America/New_York'))).status).toBe(200);
    const statuses = async () =>
      Promise.all(
        ['acme', 'umbrella'].map(
          async (tenant) => (await as(tenant, 'GET', '/v1/leaderboards/race')).body.status,
        ),
      );
    await at(`${day(2)}T15:00:00Z`);
    expect(await statuses()).toEqual(['active', 'scheduled']);
    await at(`${day(3)}T12:00:00Z`);
    for (const [tenant, value] of [
      ['acme', 1],
      ['umbrella', 2],
    ] as const) {
      const user = { id: 'ann' };
      expect((await as(tenant, 'POST', '/v1/metrics/lessons/event', { user, value })).status).toBe(201);
    }
    await at(`${day(3)}T15:00:00Z`);
    expect(await statuses()).toEqual(['finished', 'active']);
    await at(`${day(4)}T12:00:00Z`);
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
