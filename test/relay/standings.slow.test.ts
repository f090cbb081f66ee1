import { TrophyApiClient } from '@trophyso/node';
import { beforeEach, describe, expect, test } from 'vitest';
import { STREAK_CANDIDATES_MAX } from '../../src/base/limits.ts';
import type { Json } from '../support/reading.ts';
import { TestDays } from '../support/testDays.ts';
import { useServer } from '../support/useServer.ts';

/** Reads about all users: summaries of points and rankings of streaks. */

const server = useServer({ config: 'test/support/application.yaml', relay: true, tenantEach: true });
const { call } = server;
let client: TrophyApiClient;

beforeEach(async () => {
  // The client sends no Tenant-ID, so it needs a key of the tenant.
  const { body } = await call('POST', '/admin/v1/api-keys', [{ name: 'Client', tenant: server.tenant }]);
  const { url } = server;
  client = new TrophyApiClient({
    apiKey: body.created[0].key,
    environment: { api: `${url}/v1`, admin: `${url}/admin/v1` },
  });
});

const get = (path: string): Promise<Json> => server.get(`/v1${path}`);
const record = (id: string, value: number, user: object = {}) =>
  call('POST', '/v1/metrics/lessons/event', { user: { id, ...user }, value });
/** A lesson is ten points. */
const lessons = (points: number): number => points / 10;
/** Only ranges with users. */
const summary = async (query = ''): Promise<string[]> =>
  (await get(`/points/xp/summary${query}`))
    .filter(({ users }: Json) => users > 0)
    .map(({ from, to, users }: Json) => `${from}-${to}: ${users}`);

describe('points', () => {
  test('without users have eleven empty ranges and empty levels', async () => {
    const ranges = await client.points.summary('xp');
    expect(ranges).toHaveLength(11);
    expect(ranges[0]).toEqual({ from: 0, to: 0, users: 0 });
    expect(ranges[1]).toEqual({ from: 1, to: 1, users: 0 });
    expect(ranges[10]).toEqual({ from: 10, to: 10, users: 0 });
    const levels = await get('/points/xp/level-summary');
    expect(levels.map(({ users }: Json) => users)).toEqual([0, 0, 0]);
    expect(await get('/points/energy/level-summary')).toEqual([]);
  });

  const none = () => client.users.create({ id: 'none' });
  const a = () => record('a', lessons(10), { attributes: { city: 'oslo', plan: 'pro' } });
  const b = () => record('b', lessons(20), { attributes: { city: 'oslo' } });
  /** The secret achievement of three lessons is five points. */
  const c = () => record('c', lessons(100), { attributes: { city: 'rome', plan: 'pro' } });

  test('are counted by range and level once the event is answered', async () => {
    await none();
    await a();
    expect(await summary()).toEqual(['0-0: 1', '10-10: 1']);
    await b();
    expect(await summary()).toEqual(['0-0: 1', '1-10: 1', '11-20: 1']);
    await c();
    expect(await summary()).toEqual(['0-0: 1', '1-100: 2', '101-200: 1']);
    const ranges = await client.points.summary('xp');
    expect(ranges.map(({ to }) => to)).toEqual([0, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000]);
    const levels = await get('/points/xp/level-summary');
    expect(levels.map(({ level, users }: Json) => `${level.key} ${users}`)).toEqual([
      'bronze 3',
      'silver 1',
      'gold 0',
    ]);
  });

  test('can be counted for users with some attributes', async () => {
    for (const create of [none, a, b, c]) await create();
    expect(await summary('?userAttributes=city:oslo')).toEqual(['1-10: 1', '11-20: 1']);
    expect(await summary('?userAttributes=plan:pro')).toEqual(['1-100: 1', '101-200: 1']);
    expect(await summary('?userAttributes=plan:pro,city:oslo')).toEqual(['10-10: 1']);
    expect(await summary('?userAttributes=city:bern')).toEqual([]);
    const atLevels = async (attributes: string) =>
      (await get(`/points/xp/level-summary?userAttributes=${attributes}`)).map(({ users }: Json) => users);
    expect(await atLevels('plan:pro')).toEqual([1, 1, 0]);
    expect(await atLevels('city:bern')).toEqual([0, 0, 0]);
    await client.users.update('none', { attributes: { city: 'oslo' } });
    expect(await atLevels('city:oslo')).toEqual([3, 0, 0]);
    expect(await summary('?userAttributes=city:oslo')).toEqual(['0-0: 1', '1-10: 1', '11-20: 1']);
    await client.users.update('b', { attributes: { city: 'rome' } });
    expect(await summary('?userAttributes=city:oslo')).toEqual(['0-0: 1', '10-10: 1']);
    expect((await call('PATCH', '/v1/users/c', { attributes: { city: null } })).status).toBe(200);
    expect(await summary('?userAttributes=city:rome')).toEqual(['11-20: 1']);
    const shown = await client.points.summary('xp', { userAttributes: 'city:rome' });
    expect(shown.reduce((sum, { users }) => sum + users, 0)).toBe(1);
    expect((await call('GET', '/v1/points/xp/level-summary?userAttributes=shoe:1')).status).toBe(422);
    for (const wrong of ['shoe:1', 'city', 'city:a,city:b']) {
      const reply = await call('GET', `/v1/points/xp/summary?userAttributes=${wrong}`);
      expect(reply).toMatchObject({
        status: 422,
        body: { error: expect.stringContaining('userAttributes') },
      });
    }
  });

  test('move with the total', async () => {
    for (const create of [none, a, b, c]) await create();
    await record('a', lessons(9_990));
    expect(await summary()).toEqual(['0-0: 1', '1-10000: 2', '10001-20000: 1']);
    const levels = await get('/points/xp/level-summary');
    expect(levels.map(({ level, users }: Json) => `${level.key} ${users}`)).toEqual([
      'bronze 2',
      'silver 1',
      'gold 1',
    ]);
  });

  test('of an unknown system are not found', async () => {
    for (const path of ['/points/nix/summary', '/points/nix/level-summary']) {
      expect((await call('GET', `/v1${path}`)).status, path).toBe(404);
    }
  });
});

describe('streaks', () => {
  let day: (n: number) => Promise<void>;
  beforeEach(async () => {
    const days = await TestDays.begin(server);
    day = (n) => days.moveTo(n);
  });

  const ranking = async (type?: 'active' | 'longest', limit?: number) =>
    (await client.streaks.rankings({ ...(type && { type }), ...(limit && { limit }) })).map(
      ({ userId, name, streakLength }) => `${userId} ${name ?? '-'} ${streakLength}`,
    );

  test('are ranked by current and by longest length', async () => {
    const days = [
      ['z', 'w'],
      ['z', 'w'],
      ['z', 'w', 'x'],
      ['w', 'x'],
      ['x', 'y'],
    ];
    for (const [i, ids] of days.entries()) {
      await day(i + 1);
      for (const id of ids) await record(id, 1, id === 'x' ? { name: 'Xu', tz: 'Asia/Tokyo' } : {});
    }
    expect(await ranking()).toEqual(['w - 4', 'x Xu 3', 'y - 1']);
    await day(6);
    expect(await ranking('active')).toEqual(['x Xu 3', 'y - 1']);
    expect(await ranking('active', 1)).toEqual(['x Xu 3']);
    expect(await ranking('longest', 4)).toEqual(['w - 4', 'x Xu 3', 'z - 3', 'y - 1']);
    await record('z', 1);
    expect(await ranking('active')).toEqual(['x Xu 3', 'y - 1', 'z - 1']);
    expect(await ranking('longest', 3)).toEqual(['w - 4', 'x Xu 3', 'z - 3']);
  });

  test('that are restored are ranked at once, also as the longest', async () => {
    const days = [['a', 'b'], ['a', 'b'], [], ['b'], ['b']];
    for (const [i, ids] of days.entries()) {
      await day(i + 1);
      for (const id of ids) await record(id, 1);
    }
    expect(await ranking('active')).toEqual(['b - 2']);
    const users = [{ id: 'a' }, { id: 'b' }];
    const reply = await call('POST', '/admin/v1/streaks/restore', { users });
    expect(reply).toMatchObject({ status: 201, body: { restoredUsers: ['a', 'b'], issues: [] } });
    expect(await ranking('active')).toEqual(['b - 4', 'a - 2']);
    expect(await ranking('longest')).toEqual(['b - 4', 'a - 2']);
  });

  test('are checked for a bounded number of users', async () => {
    await day(20);
    await record('zoe', 1);
    expect(await ranking()).toEqual(['zoe - 1']);
    // Longer streaks of users whom the check refuses.
    const lost =
      "select $2::int, 'lost-' || i, frequency, 9, 9, last_period, 1 from streak_standings, generate_series(1, $1) i where tenant = $2 and user_id = 'zoe'";
    await server.pool.query(
      `insert into streak_standings (tenant, user_id, frequency, length, longest, last_period, sequence) ${lost}`,
      [2 * STREAK_CANDIDATES_MAX, server.no],
    );
    expect(await ranking()).toEqual([]);
    await server.pool.query("delete from streak_standings where user_id like 'lost-%'");
    expect(await ranking()).toEqual(['zoe - 1']);
  });

  test('of an unknown kind, or too many, are refused', async () => {
    for (const [query, message] of [
      ['limit=0', /^limit must be a whole number from 1 to 100/],
      ['limit=101', /^limit/],
      ['type=best', /^type must be one of active, longest/],
    ] as const) {
      const reply = await call('GET', `/v1/streaks/rankings?${query}`);
      expect(reply).toMatchObject({ status: 422, body: { error: expect.stringMatching(message) } });
    }
  });
});
