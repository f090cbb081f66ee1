import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Importing, useImports } from '../support/importing.ts';
import { achievement, DAILY, lessonStreak, metricBoard, perLesson, xp, xpBoard } from '../support/items.ts';
import type { Json } from '../support/reading.ts';
import { emptyRedis } from '../support/redisData.ts';
import { restoreServer } from '../support/restoreServer.ts';
import type { Reply } from '../support/server.ts';
import { dayFromStart } from '../support/testTime.ts';
import { useServer } from '../support/useServer.ts';

/** Events of the past, imported while production runs. */

const CONFIG = {
  metrics: [
    { key: 'lessons', name: 'Lessons' },
    { key: 'steps', name: 'Steps', guards: { maxValue: 100, action: 'refuse' } },
  ],
  streak: lessonStreak({ frequency: 'daily' }),
  achievements: [achievement('three', 3)],
  points: [xp([perLesson(2), { type: 'achievement', achievement: 'three', points: 100 }])],
  leaderboards: [
    metricBoard('all'),
    metricBoard('later', { start: dayFromStart(-5) }),
    xpBoard('points', { start: dayFromStart(-5) }),
    metricBoard('days', DAILY),
  ],
  webhooks: [
    {
      name: 'All',
      url: 'https://example.com/hook',
      events: ['achievement.completed', 'streak.started', 'streak.lost', 'points.changed'],
    },
  ],
};

const server = useServer({ config: CONFIG, relay: true });
const { call, expectSameStores, get } = server;
let imports: Importing;

beforeAll(async () => {
  imports = await useImports(server);
});
afterAll(() => imports?.close());

const lesson = (id: string, daysAgo: number, more: object = {}): object => ({
  timestamp: `${dayFromStart(-daysAgo)}T18:00:00+01:00`,
  metric: 'lessons',
  user: { id, tz: 'Europe/Berlin' },
  value: 1,
  ...more,
});

test('count on their own days, and nobody is told', async () => {
  // Four days in a row, a break, and two days up to yesterday.
  const days = [1, 20, 19, 18, 17, 2];
  expect(
    await imports.import(
      'events',
      days.map((day) => lesson('ann', day)),
    ),
  ).toMatchObject({
    state: 'done',
    rows: { received: 6, applied: 6, refused: 0 },
  });
  expect(await get('/v1/users/ann/metrics/lessons')).toMatchObject({ current: 6 });
  expect(await get('/v1/users/ann/points/xp')).toMatchObject({ total: 112 });
  expect(await get('/v1/users/ann/streak')).toMatchObject({ length: 2 });
  expect(await get('/v1/users/ann/achievements')).toMatchObject([
    { key: 'three', achievedAt: `${dayFromStart(-18)}T17:00:00.000Z` },
  ]);
  const { items } = await get('/admin/v1/users/ann/timeline?limit=100');
  expect(items.filter(({ kind, change }: Json) => kind === 'streak' && change === 'lost')).toMatchObject([
    { at: `${dayFromStart(-16)}T23:00:00.000Z`, length: 4 },
  ]);
  expect(items.filter(({ kind }: Json) => kind === 'event').map(({ at }: Json) => at.slice(0, 10))).toEqual(
    [1, 2, 17, 18, 19, 20].map((day) => dayFromStart(-day)),
  );
  const [webhook] = await get('/admin/v1/webhooks');
  const deliveries = await get(`/admin/v1/webhooks/${webhook.id}/deliveries`);
  expect(deliveries.filter(({ userId }: Json) => userId === 'ann')).toEqual([]);
  const ranked = await get('/v1/leaderboards/all?limit=100');
  expect(ranked.rankings).toContainEqual(expect.objectContaining({ userId: 'ann', value: 6 }));
});

test('rank by their totals, also if the leaderboard began after them', async () => {
  await imports.import('events', [lesson('abe', 40), lesson('abe', 30)]);
  for (const [board, value] of [
    ['later', 2],
    ['points', 4],
  ])
    expect((await get(`/v1/leaderboards/${board}?limit=100`)).rankings).toContainEqual(
      expect.objectContaining({ userId: 'abe', value }),
    );
});

test('have ids of their own: a live event with the same key is another one, and undone alone', async () => {
  const key = { idempotencyKey: 'lesson-1' };
  await imports.import('events', [lesson('ivo', 3, key)]);
  const { body } = await call('POST', '/v1/metrics/lessons/event', { user: { id: 'ivo' }, value: 5, ...key });
  const { items } = await get('/admin/v1/users/ivo/timeline?kinds=event&limit=100');
  expect(new Set(items.map(({ eventId }: Json) => eventId)).size).toBe(2);
  const undone = await call('POST', `/admin/v1/users/ivo/events/${body.eventId}/undo`, {
    reason: 'A mistake',
  });
  expect(undone.status).toBe(200);
  expect(await get('/v1/users/ivo/metrics/lessons')).toMatchObject({ current: 1 });
});

test('use a key when they count: one that a guard refuses leaves it to a later one', async () => {
  const steps = (daysAgo: number, value: number) =>
    lesson('kim', daysAgo, { metric: 'steps', value, idempotencyKey: 'walk' });
  const { rows } = await imports.import('events', [
    steps(5, 1_000),
    steps(4, 5),
    steps(3, 7),
    steps(2, 2_000),
  ]);
  expect(rows).toEqual({ received: 4, applied: 3, refused: 1 });
  expect(await get('/v1/users/kim/metrics/steps')).toMatchObject({ current: 5 });
});

test('of a user who is live already are refused, and faulty lines name their fault', async () => {
  const live = await call('POST', '/v1/metrics/lessons/event', { user: { id: 'bob' }, value: 1 });
  expect(live.status).toBe(201);
  const { id, rows } = await imports.import('events', [
    lesson('bob', 3),
    lesson('cem', -3),
    lesson('cem', 3, { metric: 'lesson' }),
    lesson('cem', 3),
  ]);
  expect(rows).toEqual({ received: 4, applied: 1, refused: 3 });
  expect((await imports.refused(id)).map(({ line, reason }) => [line, reason])).toEqual([
    [1, 'the user has changes that are not older than the first event'],
    [2, 'timestamp must not be in the future'],
    [3, expect.stringContaining('Metric lesson does not exist')],
  ]);
  expect(await get('/v1/users/bob/metrics/lessons')).toMatchObject({ current: 1 });
});

test('let a live event of a user wait until the whole past of the user is imported', async () => {
  const days = [5, 4, 3, 2, 1];
  const id = await imports.send(
    'events',
    days.map((day) => lesson('eve', day)),
  );
  await imports.applyCalls(id, 1);
  expect(await get('/v1/users/eve/metrics/lessons')).toMatchObject({ current: 2 });
  // New rules for settling, an import of the same user, and a change by an administrator.
  const { settings } = await get('/admin/v1/config');
  const changed = { settings: { ...settings, defaultTimeZone: 'Asia/Tokyo' } };
  expect((await call('PUT', '/admin/v1/config', changed)).status).toBe(200);
  const other = await imports.import('events', [lesson('eve', 6)]);
  expect((await imports.refused(other.id)).map(({ reason }) => reason)).toEqual([
    'another import of events has the user',
  ]);
  const waiting = [
    call('POST', '/v1/metrics/lessons/event', { user: { id: 'eve' }, value: 1 }),
    call('PATCH', '/v1/users/eve', { name: 'Eve' }),
  ];
  await imports.applyCalls(id, 1);
  await imports.apply(id);
  const [event, patched] = await Promise.all(waiting);
  expect([event!.status, patched!.status]).toEqual([201, 200]);
  expect(event!.body).toMatchObject({ total: 6, currentStreak: { length: 6 } });
  expect(await get(`/admin/v1/imports/${id}`)).toMatchObject({ rows: { applied: 5, refused: 0 } });
});

test('of a user with whom no worker goes on let live events wait for some minutes only', async () => {
  const pass = async (minutes: number): Promise<void> => {
    const now = new Date(server.clock.now() + minutes * 60_000).toISOString();
    expect(await call('POST', '/admin/v1/test-clock', { now })).toMatchObject({ status: 200 });
  };
  const send = (): Promise<Reply> =>
    call('POST', '/v1/metrics/lessons/event', { user: { id: 'fay' }, value: 1 });
  // The activations of the configuration are over.
  await pass(11);
  const id = await imports.send(
    'events',
    [5, 4, 3].map((day) => lesson('fay', day)),
  );
  await imports.applyCalls(id, 1);
  const early = await send();
  expect([early.status, early.body.error]).toEqual([503, expect.stringContaining('is being imported')]);
  await pass(11);
  expect((await send()).body).toMatchObject({ total: 3 });
  await imports.apply(id);
  expect((await imports.refused(id)).map(({ line, reason }) => [line, reason])).toEqual([
    [3, 'the user was changed while the events were being imported'],
  ]);
});

test('go on after a restore of Redis, which was lost while users were being imported', async () => {
  const days = [6, 5, 4, 3, 2, 1];
  const id = await imports.send('events', [lesson('hub', 3), ...days.map((day) => lesson('gus', day))]);
  await imports.applyCalls(id, 2);
  expect(await get('/v1/users/hub/metrics/lessons')).toMatchObject({ current: 1 });
  expect(await get('/v1/users/gus/metrics/lessons')).toMatchObject({ current: 2 });
  await restoreServer(server);
  const live = call('POST', '/v1/metrics/lessons/event', { user: { id: 'gus' }, value: 1 });
  await imports.apply(id);
  expect(await imports.refused(id)).toEqual([]);
  expect(await get(`/admin/v1/imports/${id}`)).toMatchObject({
    state: 'done',
    rows: { applied: 7, refused: 0 },
  });
  expect((await live).body).toMatchObject({ total: 7, currentStreak: { length: 7 } });
  expect(await get('/v1/users/hub/metrics/lessons')).toMatchObject({ current: 1 });
  const { items } = await get('/admin/v1/users/gus/timeline?limit=100');
  expect(items.filter(({ kind }: Json) => kind === 'event')).toHaveLength(7);
});

test('keep the rows of users whom the history does not have yet, so that a loss of Redis loses none', async () => {
  await server.relay.stop();
  const id = await imports.send('events', [lesson('ida', 2), lesson('ida', 1)]);
  const lost = expect(imports.apply(id)).rejects.toMatchObject({ code: 'unavailable' });
  await expect.poll(async () => (await get('/v1/users/ida/metrics/lessons')).current).toBe(2);
  await emptyRedis(server.redis);
  await lost;
  await restoreServer(server);
  server.relay = await server.startRelay();
  expect((await call('GET', '/v1/users/ida')).status).toBe(404);
  await imports.apply(id);
  expect(await get(`/admin/v1/imports/${id}`)).toMatchObject({
    state: 'done',
    rows: { applied: 2, refused: 0 },
  });
  expect(await get('/v1/users/ida/metrics/lessons')).toMatchObject({ current: 2 });
});

test('go on live, and both stores agree', async () => {
  await imports.import(
    'events',
    Array.from({ length: 450 }, (_, i) => lesson('dan', 450 - i)),
  );
  const { body } = await call('POST', '/v1/metrics/lessons/event', { user: { id: 'dan' }, value: 1 });
  expect(body).toMatchObject({ total: 451, currentStreak: { length: 451 } });
  await expectSameStores();
  expect(await server.redis.keys('*:import:*')).toEqual([]);
});

test('are applied day by day, with the same result', async () => {
  const days = [25, 24, 23, 20, 8, 7];
  const rows = ['played', 'at-once'].map((id) => days.map((day) => lesson(id, day)));
  expect(await imports.import('events', rows[0]!, { secondsPerDay: 0.001 })).toMatchObject({
    state: 'done',
    day: dayFromStart(-7),
    rows: { applied: 6, refused: 0 },
  });
  await imports.import('events', rows[1]!);
  const stateOf = async (id: string): Promise<unknown[]> =>
    Promise.all(
      ['points/xp', 'streak', 'achievements', 'metrics/lessons'].map((of) => get(`/v1/users/${id}/${of}`)),
    );
  const [played, atOnce] = await Promise.all([stateOf('played'), stateOf('at-once')]);
  const withoutIds = (of: unknown): string => JSON.stringify(of).replaceAll(/"id":"[^"]*"/g, '');
  expect(withoutIds(played)).toBe(withoutIds(atOnce));
});

test('of a day are applied for all users before those of the next day, and a cancellation ends them', async () => {
  const rows = ['first', 'second'].flatMap((id) => [12, 11, 10].map((day) => lesson(id, day)));
  const id = await imports.send('events', rows, { name: 'Played', secondsPerDay: 0.001 });
  // Both users have their first day after two calls. The call that waits meanwhile is of the second day.
  await imports.applyAround(
    id,
    async () => {
      expect(await get('/v1/users/first/metrics/lessons')).toMatchObject({ current: 1 });
      expect(await get('/v1/users/second/metrics/lessons')).toMatchObject({ current: 1 });
      expect(await get(`/admin/v1/imports/${id}`)).toMatchObject({ day: dayFromStart(-12) });
      await call('POST', `/admin/v1/imports/${id}/cancel`);
    },
    2,
  );
  expect(await get(`/admin/v1/imports/${id}`)).toMatchObject({ state: 'cancelled', day: dayFromStart(-11) });
  // Both are settled up to now, and change again.
  expect(await get('/v1/users/first/streak')).toMatchObject({ length: 0 });
  const live = { user: { id: 'first' }, value: 1 };
  expect((await call('POST', '/v1/metrics/lessons/event', live)).status).toBe(201);
  expect((await call('DELETE', '/admin/v1/users/second')).status).toBe(200);
  await server.relayed();
  await expectSameStores();
});

test('that are applied day by day are refused if they are users, or too many', async () => {
  const users = { kind: 'users', secondsPerDay: 1 };
  expect((await call('POST', '/admin/v1/imports', users)).body).toMatchObject({
    error: expect.stringContaining('only for events'),
  });
  const many = Array.from({ length: 4_001 }, () => lesson('gus', 3));
  await expect(imports.send('events', many, { secondsPerDay: 1 })).rejects.toThrow('4000 rows');
});
