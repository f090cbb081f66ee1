import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Importing, useImports } from '../support/importing.ts';
import { lessonStreak } from '../support/items.ts';
import type { Json } from '../support/reading.ts';
import { DAY_MS } from '../support/testTime.ts';
import { useServer } from '../support/useServer.ts';

/** Streaks of users who are imported (docs/moving-in.md). */

const server = useServer({
  config: {
    metrics: [{ key: 'lessons', name: 'Lessons' }],
    streak: lessonStreak({ frequency: 'daily', freezes: { startCount: 0, maxCount: 3 } }),
  },
  // 20 November on Kiritimati, 18 November in Pago Pago.
  now: '2026-11-19T10:30:00Z',
  relay: true,
});
const { call, expectSameStores, get, moveTo, record, relayed } = server;
let imports: Importing;
beforeAll(async () => {
  imports = await useImports(server);
});
afterAll(() => imports?.close());

/** The date some days before today, in UTC. */
const daysAgo = (days: number): string =>
  new Date(server.clock.now() - days * DAY_MS).toISOString().slice(0, 10);
const row = (id: string, length: number, lastDate: string, more: object = {}): object => ({
  id,
  'streak.length': length,
  'streak.lastDate': lastDate,
  ...more,
});

describe('a row without a time zone', () => {
  const create = (id: string, tz: string) => call('PUT', `/v1/users/${id}`, { tz });
  const reasons = async (rows: object[]): Promise<string[]> => {
    const { id } = await imports.import('users', rows);
    return (await imports.refused(id)).map(({ reason }) => reason);
  };

  test('says the last day of the streak in the zone of the user', async () => {
    await create('tokyo', 'Asia/Tokyo');
    await create('lima', 'America/Lima');
    const rows = ['tokyo', 'lima', 'new'].map((id) => row(id, 3, daysAgo(1)));
    expect(await reasons(rows)).toEqual([]);
    const extended = async (id: string) => (await get(`/v1/users/${id}/streak`)).extended;
    expect(await extended('tokyo')).toBe(`${daysAgo(2)}T15:00:00.000Z`);
    expect(await extended('lima')).toBe(`${daysAgo(1)}T05:00:00.000Z`);
    expect(await extended('new')).toBe(`${daysAgo(1)}T00:00:00.000Z`);
  });

  test('is refused if the last day has not begun in the zone of the user', async () => {
    await create('ahead', 'Pacific/Kiritimati');
    await create('behind', 'Pacific/Pago_Pago');
    const refusal = 'streak.lastDate must not be in the future';
    expect(await reasons([row('ahead', 3, daysAgo(-1)), row('behind', 3, daysAgo(0))])).toEqual([refusal]);
    expect(await reasons([row('new-2', 3, daysAgo(-1))])).toEqual([refusal]);
    expect((await get('/v1/users/ahead/streak')).length).toBe(3);
    expect((await get('/v1/users/behind/streak')).length).toBe(0);
    expect((await call('GET', '/v1/users/new-2')).status).toBe(404);
  });
});

describe('a streak that is imported again', () => {
  const streakItems = async (id: string): Promise<Json[]> => {
    const { items } = await get(`/admin/v1/users/${id}/timeline?kinds=streak&limit=100`);
    return items;
  };
  const longest = async (id: string): Promise<number> => {
    const ranked = await get('/v1/streaks/rankings?type=longest&limit=100');
    return ranked.find(({ userId }: Json) => userId === id)?.streakLength;
  };
  /** All that is read of the streak of a user, from Redis and from PostgreSQL. */
  const readsOf = async (id: string) => ({
    short: await get(`/v1/users/${id}/streak`),
    long: await get(`/v1/users/${id}/streak?historyPeriods=30`),
    items: await streakItems(id),
    longest: await longest(id),
  });
  const analytics = async () => {
    await relayed();
    return get(`/admin/v1/analytics/streaks?from=${daysAgo(40)}&to=${daysAgo(0)}`);
  };
  const KEPT = { 'streak.freezes': 3 };

  test.each([
    { title: 'a later day', first: [17, 1], later: [5, 0] },
    { title: 'an earlier day', first: [5, 1], later: [3, 20] },
    { title: 'the same day', first: [17, 1, { 'streak.longest': 90 }], later: [5, 1] },
    { title: 'a day that freezes have kept', first: [17, 4, KEPT], later: [5, 3, KEPT] },
    { title: 'a streak that was lost', first: [17, 9], later: [5, 0, { 'streak.longest': 6 }] },
    { title: 'a streak that is lost', first: [17, 1], later: [0, 9, { 'streak.longest': 6 }] },
  ] as const)('has nothing of the first row: $title', async ({ title, first, later }) => {
    const [again, once] = [`again-${title}`, `once-${title}`];
    const rowOf = (id: string, [length, ago, more]: readonly [number, number, object?]) =>
      row(id, length, daysAgo(ago), more);
    await imports.import('users', [rowOf(once, later)]);
    const before = await analytics();
    await imports.import('users', [rowOf(again, first)]);
    await imports.import('users', [rowOf(again, later)]);
    const counted = await analytics();
    await imports.import('users', [rowOf(again, first)]);
    await imports.import('users', [rowOf(again, later)]);
    expect(await readsOf(again)).toEqual(await readsOf(once));
    expect(await analytics()).toEqual(counted);
    const sumOf = ({ periods }: Json) =>
      periods.reduce((sum: number, { extended }: Json) => sum + extended, 0);
    expect(sumOf(counted) - sumOf(before)).toBe(1);
    await expectSameStores();
  });

  test('was not lost, and used no freezes, if the later row says so', async () => {
    await imports.import('users', [row('kept', 17, daysAgo(1), { 'streak.freezes': 2 })]);
    await moveTo(server.clock.now() + 5 * DAY_MS);
    await relayed();
    expect((await streakItems('kept')).map(({ change }) => change).sort()).toEqual([
      ...['extended', 'freezeUsed', 'freezeUsed', 'lost'],
    ]);
    await imports.import('users', [row('kept', 22, daysAgo(0), { 'streak.freezes': 2 })]);
    expect((await streakItems('kept')).map(({ change, length }) => ({ change, length }))).toEqual([
      { change: 'extended', length: 22 },
    ]);
    expect(await get('/v1/users/kept/streak')).toMatchObject({ length: 22, freezes: 2 });
    const restored = await call('POST', '/admin/v1/streaks/restore', { users: [{ id: 'kept' }] });
    expect(restored.body.restoredUsers).toEqual([]);
    await expectSameStores();
  });

  test('gives freezes back also while streaks are switched off', async () => {
    const switchStreaks = (enabled: boolean) => call('PATCH', '/admin/v1/streaks/settings', { enabled });
    await switchStreaks(false);
    await imports.import('users', [row('off', 17, daysAgo(4), { 'streak.freezes': 2 })]);
    const { freezes } = await get('/v1/users/off/streak');
    await imports.import('users', [row('off', 5, daysAgo(1))]);
    await switchStreaks(true);
    expect(freezes).toBe(0);
    expect(await get('/v1/users/off/streak')).toMatchObject({ length: 5, freezes: 2 });
    await expectSameStores();
  });

  test('keeps the periods that events have extended', async () => {
    const of = (length: number, ago: number) => row('own', length, daysAgo(ago), { 'metric.lessons': 4 });
    await imports.import('users', [of(17, 1)]);
    for (const value of [1, -1]) await record('own', value);
    await imports.import('users', [of(5, 1)]);
    const { streakHistory } = await get('/v1/users/own/streak?historyPeriods=10');
    expect(streakHistory.map(({ length }: Json) => length)).toEqual([0, 0, 0, 0, 1, 2, 3, 4, 5, 18]);
    await expectSameStores();
  });
});
