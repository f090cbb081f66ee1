import { TrophyApiClient } from '@trophyso/node';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Json } from '../support/reading.ts';
import { API_KEY } from '../support/server.ts';
import { useServer } from '../support/useServer.ts';

/**
 * Operations of the Application API that answer from Redis: by the official client where it has them, else by
 * hand.
 */

const server = useServer({ config: 'test/support/application.yaml' });
let client: TrophyApiClient;

const NOON = '2030-01-09T12:00:00Z';

beforeAll(async () => {
  client = new TrophyApiClient({
    apiKey: API_KEY,
    environment: { api: `${server.url}/v1`, admin: `${server.url}/admin/v1` },
  });
  expect(await server.call('POST', '/admin/v1/test-clock', { now: NOON })).toMatchObject({ status: 200 });
});

const get = (path: string): Promise<Json> => server.get(`/v1${path}`);
const record = (id: string, value: number, user: object = {}, rest: object = {}) =>
  server.call('POST', '/v1/metrics/lessons/event', { user: { id, ...user }, value, ...rest });
const names = (items: Json[]) => items.map(({ name }) => name);

describe('preferences', () => {
  beforeAll(async () => void (await client.users.create({ id: 'pia' })));

  test('are empty until the user sets them, and only what is passed changes', async () => {
    expect(await client.users.getPreferences('pia')).toEqual({ notifications: {} });
    const first = { recap: ['email' as const], streakReminder: [] };
    expect(await client.users.updatePreferences('pia', { notifications: first })).toEqual({
      notifications: first,
    });
    const both = { ...first, recap: ['push' as const, 'email' as const] };
    expect(await client.users.updatePreferences('pia', { notifications: { recap: both.recap } })).toEqual({
      notifications: both,
    });
    await client.users.update('pia', { name: 'Pia' });
    await record('pia', 1);
    expect(await client.users.getPreferences('pia')).toEqual({ notifications: both });
    expect((await get('/users/pia/preferences')).notifications).toEqual({
      recap: ['push', 'email'],
      streak_reminder: [],
    });
  });

  test('of the streak are returned and take effect', async () => {
    await client.users.create({ id: 'pia-1' });
    const patch = (streak: object) => server.call('PATCH', '/v1/users/pia-1/preferences', { streak });
    const metrics = [{ key: 'words', threshold: 2.5 }];
    expect((await patch({ evaluationMode: 'AND', metrics })).body.streak).toEqual({
      enabled: true,
      evaluationMode: 'AND',
      metrics,
    });
    expect((await patch({ enabled: false })).body.streak).toEqual({
      enabled: false,
      evaluationMode: 'AND',
      metrics,
    });
    expect((await get('/users/pia-1/preferences')).streak).toMatchObject({ enabled: false });
    expect((await record('pia-1', 1)).body.currentStreak).toMatchObject({ length: 0, extended: false });
    await client.users.create({ id: 'pia-2' });
    await server.call('PATCH', '/v1/users/pia-2/preferences', { streak: { metrics } });
    expect((await record('pia-2', 9)).body.currentStreak).toMatchObject({ length: 0 });
    const words = { user: { id: 'pia-2' }, value: 2.5 };
    const reply = await server.call('POST', '/v1/metrics/words/event', words);
    expect(reply.body.currentStreak).toMatchObject({ length: 1, extended: true });
  });

  test.each<[body: unknown, names: RegExp]>([
    [{ notifications: { newsletter: ['email'] } }, /notifications\.newsletter is not known/],
    [{ notifications: { recap: ['sms'] } }, /notifications\.recap\[0\] must be one of email, push/],
    [{ notifications: { recap: 'email' } }, /notifications\.recap must be an array/],
    [{ notifications: { recap: ['email', 'email'] } }, /notifications\.recap/],
    [{ streak: { evaluationMode: 'ANY' } }, /streak\.evaluationMode must be one of OR, AND/],
    [{ streak: { metrics: [{ key: 'steps', threshold: 1 }] } }, /streak\.metrics\[0\]\.key/],
    [{ streak: { metrics: [{ key: 'lessons', threshold: 0 }] } }, /streak\.metrics\[0\]\.threshold/],
    [{ streak: { metrics: [] } }, /streak\.metrics/],
    [
      {
        streak: {
          metrics: [
            { key: 'lessons', threshold: 1 },
            { key: 'lessons', threshold: 2 },
          ],
        },
      },
      /streak\.metrics must name each metric once/,
    ],
  ])('%j is refused by name and changes nothing', async (body, message) => {
    const before = await get('/users/pia/preferences');
    const reply = await server.call('PATCH', '/v1/users/pia/preferences', body);
    expect(reply).toMatchObject({ status: 422, body: { error: expect.stringMatching(message) } });
    expect(await get('/users/pia/preferences')).toEqual(before);
  });

  test('are 404 for an unknown user', async () => {
    await expect(client.users.getPreferences('nobody')).rejects.toMatchObject({ statusCode: 404 });
    await expect(client.users.updatePreferences('nobody', { notifications: {} })).rejects.toMatchObject({
      statusCode: 404,
    });
  });
});

describe('streaks', () => {
  test('of many users are ranked, longest first', async () => {
    for (const day of [1, 2, 3]) {
      const now = new Date(Date.parse(NOON) + day * 86_400_000).toISOString();
      await server.call('POST', '/admin/v1/test-clock', { now });
      for (const id of ['s,3', 's2', 's1'].slice(0, day)) await record(id, 1);
    }
    await client.users.create({ id: 's0' });
    const ids = ['s0', 's1', 'nobody', 's2', 's,3', 's1'];
    const ranked = [
      ['s,3', 3],
      ['s2', 2],
      ['s1', 1],
      ['s0', 0],
    ];
    const shown = (await client.streaks.list({ userIds: ids })).map(({ userId, streakLength }) => [
      userId,
      streakLength,
    ]);
    expect(shown).toEqual(ranked);
    const brackets = ids.map((id) => `userIds[]=${encodeURIComponent(id)}`).join('&');
    const byHand = await get(`/streaks?${brackets}`);
    expect(byHand.map(({ userId, streakLength }: Json) => [userId, streakLength])).toEqual(ranked);
    expect(byHand[0].extended).toMatch(/^2030-01-12T/);
    expect(byHand[3].extended).toBeNull();
    expect((await get('/streaks?userIds=s1,s2')).map(({ userId }: Json) => userId)).toEqual(['s2', 's1']);
  });

  test('need 1 to 100 users', async () => {
    const many = Array.from({ length: 101 }, (_, i) => `u${i}`).join(',');
    for (const query of ['', '?userIds=', `?userIds=${many}`]) {
      const reply = await server.call('GET', `/v1/streaks${query}`);
      expect(reply).toMatchObject({
        status: 422,
        body: { error: expect.stringMatching(/^userIds (is required: |must be )1 to 100 values/) },
      });
    }
  });
});

describe('achievements', () => {
  test('show the progress', async () => {
    await record('ann', 2, {}, { attributes: { skill: 'speaking' } });
    await client.achievements.complete('profile', { user: { id: 'ann' } });
    const all = await get('/users/ann/achievements?includeIncomplete=true');
    const progress = Object.fromEntries(all.map(({ key, progress: shown }: Json) => [key, shown]));
    expect(progress).toEqual({
      'lessons-10': { current: 2, target: 10 },
      speaker: { current: 2, target: 5 },
      pro: { current: 2, target: 100 },
      'streak-3': { current: 1, target: 3 },
      profile: undefined,
      all: { current: 1, target: 2 },
    });
    const [ten] = await client.users.achievements('ann', { includeIncomplete: 'true' });
    expect(ten).toMatchObject({
      key: 'lessons-10',
      completions: expect.any(Number),
      rarity: expect.any(Number),
    });
    const done = await client.users.achievements('ann');
    expect(done.map(({ key, achievedAt }) => [key, achievedAt instanceof Date])).toEqual([['profile', true]]);
  });

  test('that are hidden are shown only to users who have completed them', async () => {
    const secrets = async () => ({
      of: (await get('/users/hal/achievements?includeIncomplete=true')).filter(
        ({ key }: Json) => key === 'secret',
      ),
      metric: (await get('/users/hal/metrics/lessons')).achievements.filter(
        ({ key }: Json) => key === 'secret',
      ),
      all: (await get('/achievements')).filter(({ key }: Json) => key === 'secret'),
      trigger: (await get('/points/xp')).triggers.filter(({ type }: Json) => type === 'achievement'),
    });
    await record('hal', 2);
    expect(await secrets()).toEqual({ of: [], metric: [], all: [], trigger: [] });
    const event = await record('hal', 1);
    expect(event.body.achievements).toMatchObject([{ key: 'secret' }]);
    expect(await secrets()).toMatchObject({
      of: [{ achievedAt: expect.stringMatching(/^2030/) }],
      metric: [{ key: 'secret' }],
      all: [],
      trigger: [],
    });
  });

  test('can be filtered by the user attributes that they require', async () => {
    const keysOf = async (userAttributes?: string) =>
      (await client.achievements.all(userAttributes === undefined ? {} : { userAttributes })).map(
        ({ key }) => key,
      );
    const open = ['lessons-10', 'speaker', 'streak-3', 'profile', 'all'];
    const everything = ['lessons-10', 'speaker', 'pro', 'streak-3', 'profile', 'all'];
    expect(await keysOf()).toEqual(everything);
    expect(await keysOf('plan:free')).toEqual(open);
    expect(await keysOf('city:oslo')).toEqual(open);
    expect(await keysOf('plan:pro,city:oslo')).toEqual(everything);
    const reply = await server.call('GET', '/v1/achievements?userAttributes=shoe:1,hat:2');
    expect(reply).toMatchObject({
      status: 422,
      body: { error: expect.stringMatching(/userAttributes.*: shoe, hat$/) },
    });
  });
});

describe('points systems', () => {
  test('show their triggers', async () => {
    expect(await client.points.system('xp')).toMatchObject({
      name: 'XP',
      description: 'Experience',
      maxPoints: 100_000,
      triggers: [{ type: 'metric', points: 10, metricName: 'Lessons', metricThreshold: 1, status: 'active' }],
    });
    expect((await get('/points/energy')).triggers).toEqual([]);
  });

  test('show their levels, lowest first', async () => {
    const levels = await get('/points/xp/levels');
    expect(levels.map(({ key, points }: Json) => `${key} ${points}`)).toEqual([
      'bronze 0',
      'silver 50',
      'gold 1000',
    ]);
    expect(levels[1]).toEqual({ ...levels[1], name: 'Silver', description: 'Shiny', badgeUrl: null });
    expect(await get('/points/energy/levels')).toEqual([]);
  });

  test('show boosts for all users, and finished boosts on request', async () => {
    const boosts = await get('/points/xp/boosts');
    expect(boosts.map(({ name, status }: Json) => `${name} ${status}`)).toEqual([
      'Never scheduled',
      'Now active',
      'Pro active',
    ]);
    expect(boosts[1]).toMatchObject({
      start: '2030-01-01',
      end: '2030-12-31',
      multiplier: 1.5,
      rounding: 'nearest',
    });
    const all = await get('/points/xp/boosts?includeFinished=true');
    expect(all[0]).toMatchObject({ name: 'Over', status: 'finished' });
    expect(all).toHaveLength(4);
  });

  test('show the boosts that concern a user', async () => {
    await client.users.create({ id: 'amy', attributes: { plan: 'pro' } });
    await client.users.create({ id: 'abe' });
    expect(names(await get('/users/amy/points/xp/boosts'))).toEqual(['Never', 'Now', 'Pro', 'Amy']);
    expect(names(await get('/users/abe/points/xp/boosts'))).toEqual(['Never', 'Now']);
  });

  test.each(['/points/nix', '/points/nix/levels', '/points/nix/boosts', '/users/amy/points/nix/boosts'])(
    '%s is not found',
    async (path) => {
      expect(await server.call('GET', `/v1${path}`)).toMatchObject({ status: 404, body: { error: /nix/ } });
    },
  );
});

describe('leaderboards', () => {
  beforeAll(async () => {
    for (const [i, city] of ['oslo', 'rome', 'oslo', 'oslo', 'oslo'].entries()) {
      await record(`n${i}`, 1000 - i, { attributes: { city } });
    }
  });
  const around = async (query: string, board = 'lessons') =>
    (await get(`/leaderboards/${board}?${query}`)).rankings.map(
      ({ rank, userId }: Json) => `${rank} ${userId}`,
    );

  test('show a user with the neighbours', async () => {
    expect(await around('userId=n2&neighbours=1')).toEqual(['2 n1', '3 n2', '4 n3']);
    expect(await around('userId=n0&neighbours=2')).toEqual(['1 n0', '2 n1', '3 n2']);
    expect((await around('userId=n1&neighbours=1000'))[0]).toBe('1 n0');
  });

  test('show the neighbours within the group of the user', async () => {
    expect(await around('userId=n3&neighbours=1', 'cities')).toEqual(['2 n2', '3 n3', '4 n4']);
    expect(await around('userId=n1&neighbours=5', 'cities')).toEqual(['1 n1']);
  });

  test('have up to 1000 places a page', async () => {
    expect((await around('limit=1000')).length).toBeGreaterThanOrEqual(5);
  });

  test.each([
    ['neighbours=1', /^neighbours requires userId/],
    ['neighbours=0&userId=n1', /^neighbours must be/],
    ['limit=1001', /^limit must be a whole number from 0 to 1000/],
  ])('%s is refused', async (query, message) => {
    const reply = await server.call('GET', `/v1/leaderboards/lessons?${query}`);
    expect(reply).toMatchObject({ status: 422, body: { error: expect.stringMatching(message) } });
  });

  test('that have finished are listed on request', async () => {
    expect((await client.leaderboards.all()).map(({ key }) => key)).toEqual(['lessons', 'cities']);
    const all = await get('/leaderboards?includeFinished=true');
    expect(all.map(({ key, status }: Json) => `${key} ${status}`)).toEqual([
      'lessons active',
      'cities active',
      'over finished',
    ]);
  });
});

describe('ids and keys', () => {
  const id = 'team/7 ü?#%&+é😀';

  test('may hold slashes and any Unicode, percent-encoded', async () => {
    const event = await client.metrics.event('w%6Frds', { user: { id }, value: 3 });
    expect(event.total).toBe(3);
    const path = `/users/${encodeURIComponent(id)}`;
    expect(await get(path)).toMatchObject({ id });
    expect(await get(`${path}/metrics/w%6frds`)).toMatchObject({ current: 3 });
    expect(await get(`/streaks?userIds=${encodeURIComponent(id)}`)).toMatchObject([{ userId: id }]);
  });

  test('of users that clients remove from URLs are refused', async () => {
    for (const dots of ['.', '..']) {
      const event = { user: { id: dots }, value: 1 };
      const error = 'user.id must not be . or .., because clients remove them from URLs';
      expect(await server.call('POST', '/v1/metrics/words/event', event)).toMatchObject({
        status: 422,
        body: { error },
      });
      expect(await server.call('POST', '/v1/users', { id: dots })).toMatchObject({
        status: 422,
        body: { error },
      });
    }
  });

  test('with wrong percent-encoding are refused', async () => {
    for (const path of [
      '/users/%ff',
      '/users/%',
      '/points/%e9/levels',
      '/streaks?userIds=%c3',
      '/leaderboards?x=%zz',
    ]) {
      expect(await server.call('GET', `/v1${path}`)).toMatchObject({
        status: 400,
        body: { error: /percent-encoded/ },
      });
    }
  });
});
