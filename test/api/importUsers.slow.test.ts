import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../src/base/ids.ts';
import { IMPORT_PARTS } from '../../src/base/importLimits.ts';
import { forgetUserInImports } from '../../src/db/imports/forgetUserInImports.ts';
import { findImport } from '../../src/db/imports/importRows.ts';
import { transaction } from '../../src/db/pool.ts';
import {
  IMPORT_SORTED_CHUNKS,
  IMPORT_SORTED_ROWS_MIN,
  sortSomeUsers,
} from '../../src/engine/imports/sortUsers.ts';
import { type Importing, useImports } from '../support/importing.ts';
import {
  achievement,
  DAILY,
  goal,
  item,
  items,
  lessonStreak,
  metricBoard,
  perLesson,
  xp,
  xpBoard,
} from '../support/items.ts';
import { type Json, walkPages } from '../support/reading.ts';
import type { Reply } from '../support/server.ts';
import { dayFromStart } from '../support/testTime.ts';
import { useServer } from '../support/useServer.ts';

/** Users as they were elsewhere. */

const CONFIG = {
  attributes: { user: items('plan') },
  metrics: [
    { key: 'lessons', name: 'Lessons' },
    { key: 'words', name: 'Words' },
    { key: 'steps', name: 'Steps', guards: { minValue: 0, action: 'refuse' } },
  ],
  streak: lessonStreak({
    frequency: 'daily',
    customizationEnabled: true,
    freezes: { startCount: 1, maxCount: 3 },
  }),
  achievements: [achievement('ten', 10), achievement('hundred', 100), item('profile', { trigger: 'api' })],
  points: [
    xp(
      [
        { type: 'user_creation', points: 7 },
        perLesson(1),
        { type: 'achievement', achievement: 'ten', points: 1000 },
      ],
      { levels: [item('gold', { points: 500 })] },
    ),
  ],
  challenges: [item('quest', { ...DAILY, goals: [goal('one', 1)] })],
  leaderboards: [
    metricBoard('lessons'),
    xpBoard('xp', { name: 'XP' }),
    metricBoard('daily', { name: 'Today', ...DAILY }),
  ],
};

const server = useServer({ config: CONFIG, relay: true });
const { call, expectSameStores, get } = server;
let imports: Importing;
const record = (id: string, value = 1): Promise<Reply> =>
  call('POST', '/v1/metrics/lessons/event', { user: { id }, value });
const lessonsOf = async (id: string): Promise<number> =>
  (await get(`/v1/users/${id}/metrics/lessons`)).current;
const xpOf = async (id: string): Promise<number> => (await get(`/v1/users/${id}/points/xp`)).total;
const valueOn = async (board: string, id: string): Promise<number | undefined> =>
  (await get(`/v1/leaderboards/${board}?limit=100`)).rankings.find(({ userId }: Json) => userId === id)
    ?.value;

beforeAll(async () => {
  imports = await useImports(server);
});
afterAll(() => imports?.close());

/** A user whose streak was extended yesterday. */
const row = (id: string, more: object = {}): object => ({
  id,
  name: 'Ann',
  email: 'ann@example.com',
  tz: 'Europe/Berlin',
  'attributes.plan': 'pro',
  created: '2024-03-01',
  'metric.lessons': '42',
  'metric.words': 1.5,
  'points.xp': 600,
  'streak.length': 12,
  'streak.lastDate': dayFromStart(-1),
  'streak.longest': 40,
  'streak.freezes': 2,
  'achievement.profile': '2024-05-06T07:08:09Z',
  ...more,
});

describe('users as they were', () => {
  test('have profile, totals, level, streak, freezes and achievements', async () => {
    expect(await imports.import('users', [row('ann')])).toMatchObject({
      kind: 'users',
      state: 'done',
      rows: { received: 1, applied: 1, refused: 0 },
    });
    expect(await get('/v1/users/ann')).toMatchObject({
      name: 'Ann',
      email: 'ann@example.com',
      tz: 'Europe/Berlin',
      created: '2024-03-01T00:00:00.000Z',
    });
    expect([await lessonsOf('ann'), await xpOf('ann')]).toEqual([42, 600]);
    expect(await get('/v1/users/ann/points/xp')).toMatchObject({ level: { key: 'gold' } });
    expect(await get('/v1/users/ann/streak')).toMatchObject({ length: 12, freezes: 2 });
    const achievements = await get('/v1/users/ann/achievements');
    const dates = Object.fromEntries(achievements.map(({ key, achievedAt }: Json) => [key, achievedAt]));
    // Reached by the total, so it is completed without points.
    expect(dates).toEqual({ profile: '2024-05-06T07:08:09.000Z', ten: expect.any(String) });
  });

  test('are on perpetual leaderboards and not on runs', async () => {
    await imports.import('users', [row('ben')]);
    expect(await valueOn('lessons', 'ben')).toBe(42);
    expect(await valueOn('xp', 'ben')).toBe(600);
    expect(await valueOn('daily', 'ben')).toBeUndefined();
  });

  test('are in history and timeline with their origin', async () => {
    await imports.import('users', [row('cem')]);
    const { items } = await get('/admin/v1/users/cem/timeline');
    const shown = (kind: string): Json[] => items.filter((item: Json) => item.kind === kind);
    const events = shown('event').map(({ metric, value, total, origin }) => [
      metric.key,
      value,
      total,
      origin,
    ]);
    expect(events.sort()).toEqual([
      ['lessons', 42, 42, 'import'],
      ['words', 1.5, 1.5, 'import'],
    ]);
    expect(shown('points')).toMatchObject([{ awarded: 600, total: 600, trigger: { type: 'import' } }]);
    expect(shown('achievement').map(({ at }) => at)).toContain('2024-05-06T07:08:09.000Z');
    expect(shown('created')).toMatchObject([{ at: '2024-03-01T00:00:00.000Z' }]);
  });

  test('are in one page of the timeline each, however short the pages are', async () => {
    await imports.import('users', [row('cleo')]);
    const items = await walkPages(server, '/admin/v1/users/cleo/timeline?kinds=event&', 'items');
    const metrics = items.map(({ metric }) => metric.key);
    expect(metrics.sort()).toEqual(['lessons', 'words']);
  });

  test('stay as they are if the file is imported again', async () => {
    await imports.import('users', [row('dan')]);
    const before = (await get('/admin/v1/users/dan/timeline')).items.length;
    expect(await imports.import('users', [row('dan')])).toMatchObject({ rows: { applied: 1, refused: 0 } });
    expect((await get('/admin/v1/users/dan/timeline')).items).toHaveLength(before);
    expect([await lessonsOf('dan'), await xpOf('dan')]).toEqual([42, 600]);
  });

  test('take the values of a corrected file, and go on with events', async () => {
    await imports.import('users', [row('eli')]);
    await imports.import('users', [row('eli', { 'metric.lessons': 45, 'points.xp': 550 })]);
    expect([await lessonsOf('eli'), await xpOf('eli')]).toEqual([45, 550]);
    expect(await valueOn('lessons', 'eli')).toBe(45);
    const { body } = await record('eli');
    expect(body).toMatchObject({ total: 46, currentStreak: { length: 13 }, achievements: [] });
    expect(await xpOf('eli')).toBe(551);
  });

  test('have the runs of challenges that they completed elsewhere, beside those that they complete', async () => {
    const runs = (count: unknown) => row('ike', { 'challenge.quest.completions': count });
    const completed = async (): Promise<number> => (await get('/v1/users/ike/challenges/quest')).completions;
    for (let i = 0; i < 2; i++) await imports.import('users', [runs('30')]);
    expect(await completed()).toBe(30);
    await call('POST', '/admin/v1/users/ike/challenges/quest/complete', { reason: 'A test' });
    await imports.import('users', [runs(28)]);
    expect(await completed()).toBe(29);
    await imports.import('users', [runs(2)], { merge: 'add' });
    expect(await completed()).toBe(31);
    await expectSameStores();
  });

  test('have what they chose about messages', async () => {
    const chosen = row('olu', {
      subscribeToEmails: 'false',
      signUpDate: '2024-02-29',
      deviceTokens: 'token-1, token-2',
      'preferences.recap': 'none',
      'preferences.streak_reminder': 'email,push',
      messagesFrom: '2099-01-01',
    });
    const { id } = await imports.import('users', [chosen]);
    expect(await imports.refused(id)).toEqual([]);
    expect(await get('/v1/users/olu')).toMatchObject({
      subscribeToEmails: false,
      signUpDate: '2024-02-29',
      deviceTokens: ['token-1', 'token-2'],
    });
    const { notifications } = await get('/v1/users/olu/preferences');
    expect(notifications).toMatchObject({ recap: [], streak_reminder: ['email', 'push'] });
    const { updated } = await get('/v1/users/olu');
    await imports.import('users', [chosen]);
    expect((await get('/v1/users/olu')).updated).toBe(updated);
  });

  test('have what they chose about streaks and leaderboards', async () => {
    const chosen = (id: string, more = {}) =>
      row(id, {
        'preferences.leaderboards.visible': 'false',
        'preferences.streak.enabled': 'false',
        ...more,
      });
    const { id } = await imports.import('users', [
      chosen('una'),
      row('uri', {
        'preferences.streak.evaluationMode': 'OR',
        'preferences.streak.daysOff': '0,6',
        'preferences.streak.metrics': 'lessons:2, words:20',
      }),
    ]);
    expect(await imports.refused(id)).toEqual([]);
    expect(await get('/v1/users/una/preferences')).toMatchObject({
      streak: { enabled: false },
      leaderboards: { visible: false },
    });
    expect((await get('/v1/users/una/streak')).length).toBe(0);
    expect((await get('/v1/users/uri/preferences')).streak).toEqual({
      ...{ enabled: true, evaluationMode: 'OR', daysOff: [0, 6] },
      metrics: [
        { key: 'lessons', threshold: 2 },
        { key: 'words', threshold: 20 },
      ],
    });
    const ranksOf = (user: string) => Promise.all(['lessons', 'daily'].map((board) => valueOn(board, user)));
    await record('una');
    expect(await ranksOf('una')).toEqual([undefined, undefined]);

    // An import hides a user with ranks, and shows a hidden user.
    await imports.import('users', [row('uli')]);
    await record('uli');
    expect(await ranksOf('uli')).toEqual([43, 1]);
    await imports.import('users', [chosen('uli')], { merge: 'add' });
    expect(await ranksOf('uli')).toEqual([undefined, undefined]);
    await imports.import('users', [chosen('una', { 'preferences.leaderboards.visible': 'true' })], {
      merge: 'add',
    });
    expect((await ranksOf('una'))[1]).toBe(1);
  });

  test('are refused with values that the API refuses', async () => {
    const faulty = [
      [{ email: 'nowhere' }, /^email must/],
      [{ id: 'x'.repeat(300) }, /^id must not be longer than/],
      [{ 'metric.steps': -5 }, /^metric.steps must not be negative/],
      [{ 'streak.longest': 5 }, /^streak.longest must not be less than streak.length/],
      [{ subscribeToEmails: 'perhaps' }, /^subscribeToEmails must be true or false/],
      [{ signUpDate: '2999-01-01' }, /signUpDate must not be after today/],
      [{ 'preferences.recap': 'letter' }, /^preferences\.recap/],
      [{ 'preferences.leaderboards.visible': 'perhaps' }, /visible must be true or false/],
      [{ 'preferences.streak.metrics': 'lesson:1' }, /streak.metrics\[0\].key must name a metric/],
      [{ 'preferences.streak.metrics': 'lessons' }, /^preferences.streak.metrics/],
      [{ 'preferences.streak.daysOff': '7' }, /^preferences.streak.daysOff/],
      [{ 'preferences.recaps': 'email' }, /^preferences\.recaps is not known/],
      [{ 'attributes.plan': 'x'.repeat(5_000) }, /plan must not be longer than/],
      [{ streaks: 5 }, /^column streaks is unknown/],
      [{ 'challenge.quest.completions': 1.5 }, /^challenge.quest.completions must be a whole number/],
      [{ 'challenge.quest.runs': 1 }, /^column challenge.quest.runs is unknown/],
      [{ messagesFrom: 'tomorrow' }, /^messagesFrom must be a date or an ISO 8601 instant/],
    ] as const;
    const { id, rows } = await imports.import(
      'users',
      faulty.map(([fields], i) => row(`faulty-${i}`, fields)),
    );
    expect(rows).toEqual({ received: faulty.length, applied: 0, refused: faulty.length });
    const refused = await imports.refused(id);
    for (const [i, [, reason]] of faulty.entries())
      expect(refused.find(({ line }) => line === i + 1).reason).toMatch(reason);
  });

  test('are refused as a file whose columns name nothing', async () => {
    const begin = async (kind: string, columns: string[]) =>
      (await call('POST', '/admin/v1/imports', { kind, columns })).body;
    const before = (await get('/admin/v1/imports?limit=100')).length;
    const { error } = await begin('users', [
      'id',
      'emails',
      'metric.lesson',
      'points.xp',
      'achievement.nix',
      'challenge.nix.completions',
    ]);
    expect(error).toBe(
      'column emails is unknown; did you mean "email"?; column metric.lesson: Metric lesson does not exist; did you mean "lessons"?; ' +
        'column achievement.nix: Achievement nix does not exist; column challenge.nix.completions: Challenge nix does not exist',
    );
    expect((await begin('events', ['metric', 'attributes.plan', 'user.attributes.plan'])).error).toBe(
      'column attributes.plan: Event attribute plan does not exist',
    );
    expect(await get('/admin/v1/imports?limit=100')).toHaveLength(before);
    const { id } = await begin('users', ['id', 'name', 'preferences.recap', 'metric.lessons']);
    await call('POST', `/admin/v1/imports/${id}/cancel`);
  });

  test('agree in both stores', async () => {
    await imports.import('users', [row('fay')]);
    await imports.import('users', [row('fay', { 'metric.lessons': 7 })]);
    await expectSameStores();
  });
});

describe('a user with events', () => {
  test('is refused', async () => {
    await record('gus', 3);
    const { id, rows } = await imports.import('users', [row('gus')]);
    expect(rows).toEqual({ received: 1, applied: 0, refused: 1 });
    expect(await imports.refused(id)).toMatchObject([
      {
        line: 1,
        userId: 'gus',
        reason: 'the user has events already',
        row: expect.stringContaining('"gus"'),
      },
    ]);
    expect([await lessonsOf('gus'), await xpOf('gus')]).toEqual([3, 10]);
  });

  test('begins anew below a total that an import has raised', async () => {
    for (const value of [8, -6]) await record('pia', value);
    const before = await xpOf('pia');
    await record('pia');
    expect(await xpOf('pia')).toBe(before);
    await imports.import('users', [{ id: 'pia', 'metric.lessons': 1 }], { merge: 'add' });
    expect(await lessonsOf('pia')).toBe(4);
    await record('pia');
    expect(await xpOf('pia')).toBe(before + 1);
  });

  test('gets the totals of each import that adds, once, and keeps the longer streak', async () => {
    await record('hal', 3);
    const short = { 'streak.length': 1, 'points.xp': 90 };
    for (let i = 1; i <= 2; i++) {
      const id = await imports.send('users', [row('hal', short), row('hal-2', short)], { merge: 'add' });
      // The second worker begins again with the first row.
      const killed = imports.applyAround(id, () => Promise.reject(new Error('killed')), 1);
      await expect(killed).rejects.toThrow('killed');
      for (const user of ['hal', 'hal-2']) await call('PATCH', `/v1/users/${user}`, { name: 'Other' });
      await imports.apply(id);
      expect((await get(`/admin/v1/imports/${id}`)).rows).toEqual({ received: 2, applied: 2, refused: 0 });
      expect([await lessonsOf('hal'), await xpOf('hal')]).toEqual([3 + i * 42, 10 + i * 90]);
      expect([await lessonsOf('hal-2'), await xpOf('hal-2')]).toEqual([i * 42, i * 90]);
    }
    expect(await get('/v1/users/hal/streak')).toMatchObject({ length: 1 });
    expect(await get('/v1/users/hal')).toMatchObject({ name: 'Ann' });
    const { items } = await get('/admin/v1/users/hal-2/timeline?kinds=event&limit=100');
    expect(items.filter(({ metric }: Json) => metric.key === 'lessons')).toHaveLength(2);
    await imports.import('users', [row('hal', { 'points.xp': 90 })], { merge: 'add' });
    expect(await get('/v1/users/hal/streak')).toMatchObject({ length: 12 });
  });
});

describe('an import', () => {
  const chunk = (id: string, number: number, ids: string[], isLast = false): Promise<Reply> =>
    call('POST', `/admin/v1/imports/${id}/chunks`, {
      chunk: number,
      rows: ids.map((user, i) => ({
        line: 10 * number + i + 1,
        row: JSON.stringify({ id: user, name: 'x' }),
      })),
      isLast,
    });
  const create = async (body: object = { kind: 'users' }): Promise<Json> =>
    (await call('POST', '/admin/v1/imports', body)).body;
  const control = (id: string, what: string): Promise<Reply> =>
    call('POST', `/admin/v1/imports/${id}/${what}`);

  test('takes each chunk once, in order', async () => {
    const { id } = await create();
    expect((await chunk(id, 1, ['i1'])).body.error).toBe('chunk must be 0, which is the next one');
    for (let i = 0; i < 2; i++) {
      expect((await chunk(id, 0, ['i0'])).body).toMatchObject({ chunks: 1, rows: { received: 1 } });
    }
    expect((await chunk(id, 1, ['i1'], true)).body).toMatchObject({ chunks: 2, state: 'running' });
    expect((await chunk(id, 2, ['i2'])).status).toBe(422);
    await imports.apply(id);
    expect(await get(`/admin/v1/imports/${id}`)).toMatchObject({ state: 'done', rows: { applied: 2 } });
    expect((await get('/admin/v1/imports'))[0]).toMatchObject({ id });
  });

  test('of a known id is the known one', async () => {
    const id = newId();
    expect(await create({ kind: 'users', id })).toMatchObject({ id, state: 'receiving' });
    expect(await create({ kind: 'users', id })).toMatchObject({ id });
    await control(id, 'cancel');
    await imports.apply(id);
  });

  test('is paused, resumed and cancelled, which the audit log shows', async () => {
    const { id } = await create();
    await chunk(id, 0, ['j0', 'j1'], true);
    expect((await control(id, 'pause')).body.state).toBe('paused');
    await imports.apply(id);
    expect((await call('GET', '/v1/users/j0')).status).toBe(404);
    expect((await control(id, 'resume')).body.state).toBe('running');
    expect((await control(id, 'cancel')).body.state).toBe('cancelled');
    await imports.apply(id);
    expect(await get(`/admin/v1/imports/${id}`)).toMatchObject({ state: 'cancelled', rows: { applied: 0 } });
    expect((await call('GET', '/v1/users/j0')).status).toBe(404);
    const audited = await get(`/admin/v1/audit?id=${id}`);
    expect(audited.map(({ after }: Json) => after.state ?? after.kind)).toEqual([
      'cancelled',
      'resumed',
      'paused',
      'users',
    ]);
  });

  test.each(['users', 'events'] as const)(
    'of %s that is paused or cancelled stops between two users, and counts those before',
    async (kind) => {
      const ids = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `${kind}-${name}`);
      const lesson = { metric: 'lessons', value: 1, timestamp: `${dayFromStart(-1)}T12:00:00Z` };
      const rows = ids.flatMap((id) =>
        kind === 'users' ? [row(id), row(id)] : [1, 2].map(() => ({ ...lesson, user: { id } })),
      );
      const id = await imports.send(kind, rows);
      const known = async () => {
        const statuses = await Promise.all(ids.map((user) => call('GET', `/v1/users/${user}`)));
        return statuses.filter(({ status }) => status === 200).length;
      };
      const refusedOfUser = kind === 'users' ? 1 : 0;
      const counted = (users: number) => ({
        received: 12,
        applied: users * (2 - refusedOfUser),
        refused: users * refusedOfUser,
      });
      // A user of two events takes one call or two; those that were begun are finished.
      await imports.applyAround(id, async () => void (await control(id, 'pause')), 2);
      const first = await known();
      expect(first).toBeGreaterThan(0);
      expect(await get(`/admin/v1/imports/${id}`)).toMatchObject({ state: 'paused', rows: counted(first) });
      await control(id, 'resume');
      await imports.applyAround(id, async () => void (await control(id, 'cancel')));
      const second = await known();
      expect(second).toBe(first + 1);
      expect(await get(`/admin/v1/imports/${id}`)).toMatchObject({
        state: 'cancelled',
        rows: counted(second),
      });
      const { rows: left } = await server.pool.query('select from import_parts where import = $1', [id]);
      expect(left).toEqual([]);
    },
  );

  test('of many users is sorted by their ids: the last row of a user counts, and erased users are forgotten', async () => {
    const { id } = await create();
    const ids = Array.from({ length: 60 }, (_, i) => `sorted-${(i * 37) % 60}`);
    await chunk(id, 0, ids);
    await chunk(id, 1, ['sorted-7', 'sorted-8'], true);
    const record = (await findImport(server.pool, { tenant: 1, id }))!;
    // As if the import had many rows, so that few of them are sorted at once.
    const many = { ...record, received: IMPORT_SORTED_ROWS_MIN, chunks: 4 * IMPORT_SORTED_CHUNKS };
    const forget = (userId: string): Promise<void> =>
      transaction(server.pool, (client) => forgetUserInImports(client, { tenant: 1, userId }));
    await forget('sorted-1');
    let steps = 0;
    for (; await sortSomeUsers(server.pool, many); steps++) await forget(`sorted-${2 + steps}`);
    expect(steps).toBeGreaterThan(2);
    await forget('sorted-59');
    const sorted = await server.pool.query(
      'select part, lines from import_parts where import = $1 order by part',
      [id],
    );
    expect(sorted.rows.length).toBeGreaterThan(1);
    expect(sorted.rows.every(({ part }: { part: number }) => part >= IMPORT_PARTS)).toBe(true);
    await imports.apply(id);
    const forgotten = [
      'sorted-1',
      'sorted-59',
      ...Array.from({ length: steps }, (_, i) => `sorted-${2 + i}`),
    ];
    for (const userId of ids) {
      const { status } = await call('GET', `/v1/users/${userId}`);
      expect([userId, status]).toEqual([userId, forgotten.includes(userId) ? 404 : 200]);
    }
    const twice = ['sorted-7', 'sorted-8'].filter((userId) => !forgotten.includes(userId));
    expect((await imports.refused(id)).map(({ userId, reason }) => [userId, reason])).toEqual(
      twice.map((userId) => [userId, expect.stringContaining('has the same user, and counts instead')]),
    );
  });

  test('forgets an erased user', async () => {
    await imports.import('users', [row('kim')]);
    const { id } = await create();
    await chunk(id, 0, ['kim'], true);
    expect((await call('DELETE', '/admin/v1/users/kim')).status).toBeLessThan(300);
    await imports.apply(id);
    expect((await call('GET', '/v1/users/kim')).status).toBe(404);
  });

  test('forgets a user who is erased while the rows of the user are being applied', async () => {
    const id = await imports.send('users', [
      row('una'),
      row('uta'),
      { ...row('ula'), 'metric.lessons': 'many' },
    ]);
    await imports.applyAround(id, async () => {
      for (const userId of ['una', 'ula'])
        expect((await call('DELETE', `/admin/v1/users/${userId}`)).status).toBe(200);
    });
    expect((await call('GET', '/v1/users/una')).status).toBe(404);
    expect((await call('GET', '/v1/users/uta')).status).toBe(200);
    expect(await imports.refused(id)).toEqual([]);
    expect((await call('GET', `/admin/v1/imports/${id}`)).body.state).toBe('done');
  });

  test('of events forgets a user who is erased while the events are being applied', async () => {
    const eventsOf = (userId: string) =>
      [1, 2].map((i) => ({
        user: { id: userId },
        metric: 'lessons',
        value: 1,
        timestamp: `${dayFromStart(-i)}T12:00:00Z`,
      }));
    const id = await imports.send('events', [...eventsOf('wim'), ...eventsOf('wolf')]);
    await imports.applyAround(id, async () => {
      expect((await call('DELETE', '/admin/v1/users/wim')).status).toBe(200);
    });
    expect((await call('GET', '/v1/users/wim')).status).toBe(404);
    expect((await call('GET', '/v1/users/wolf/metrics/lessons')).body.current).toBe(2);
  });

  test('has rows of a user who is nowhere else, who is erased by their removal', async () => {
    const id = await imports.send('users', [row('tom'), row('tim')]);
    expect((await call('DELETE', '/admin/v1/users/tom')).status).toBe(200);
    await imports.apply(id);
    expect((await call('GET', '/v1/users/tom')).status).toBe(404);
    expect((await call('GET', '/v1/users/tim')).status).toBe(200);
    expect((await call('DELETE', '/admin/v1/users/tom')).status).toBe(404);
  });
});

describe('a row', () => {
  test.each([
    ['of no user', { name: 'x' }, 'id must be the id of a user'],
    ['that is not JSON', '{', /^is not JSON/],
    ['with an unknown column', row('eve', { plan: 'x' }), 'column plan is unknown'],
    ['with an unknown metric', row('eve', { 'metric.lesson': 1 }), /^Metric lesson does not exist/],
    [
      'with a text for a number',
      row('eve', { 'metric.lessons': 'many' }),
      /^metric.lessons must be a number/,
    ],
    [
      'with an achievement in the future',
      row('eve', { 'achievement.profile': '2999-01-01' }),
      /not be in the future/,
    ],
    ['with a streak without a date', { id: 'eve', 'streak.length': 3 }, /^streak.lastDate must be a date/],
    [
      'with more freezes than allowed',
      row('eve', { 'streak.freezes': 4 }),
      /^streak.freezes must be a number from 0 to 3/,
    ],
  ])('%s is refused and changes nothing', async (_, content, reason) => {
    const { id, rows } = await imports.import('users', [content]);
    expect(rows).toEqual({ received: 1, applied: 0, refused: 1 });
    const [refused] = await imports.refused(id);
    expect(refused.reason).toMatch(typeof reason === 'string' ? new RegExp(`^${reason}$`) : reason);
    expect((await call('GET', '/v1/users/eve')).status).toBe(404);
  });
});
