import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLog } from '../src/base/log.ts';
import { createPool, type Pool } from '../src/db/pool.ts';
import { type Reply, startTestServer, type TestServer } from './support/server.ts';

/** What administrators correct: points of a user, and achievements that should not have been completed. */

type Json = Reply['body'];

const CONFIG = {
  metrics: [{ key: 'lessons', name: 'Lessons' }],
  achievements: [
    { key: 'first', name: 'First', trigger: 'metric', metric: 'lessons', metricValue: 1 },
    { key: 'profile', name: 'Profile', trigger: 'api' },
    { key: 'both', name: 'Both', trigger: 'achievement', achievements: ['first', 'profile'] },
  ],
  points: [
    {
      key: 'xp',
      name: 'XP',
      maxPoints: 100,
      triggers: [{ type: 'metric', metric: 'lessons', metricThreshold: 1, points: 10 }],
      boosts: [{ name: 'Double', start: '2020-01-01', multiplier: 2 }],
    },
  ],
  leaderboards: [{ key: 'xp', name: 'XP', rankBy: 'points', points: 'xp', start: '2020-01-01' }],
};

let server: TestServer;
let pool: Pool;
const admin = (method: string, path: string, body?: unknown): Promise<Reply> =>
  server.call(method, `/admin/v1${path}`, body);
const adjust = (amount: number, more: object = {}, id = 'ann'): Promise<Reply> =>
  admin('POST', `/users/${id}/points/xp/adjustments`, { amount, reason: 'Test', ...more });
const revoke = (key: string, id = 'ann'): Promise<Reply> =>
  admin('POST', `/users/${id}/achievements/${key}/revoke`, { reason: 'A bot' });
const record = (id = 'ann'): Promise<Reply> =>
  server.call('POST', '/v1/metrics/lessons/event', { user: { id }, value: 1 });
const points = async (): Promise<Json> =>
  (await server.call('GET', '/v1/users/ann/points/xp?awards=100')).body;
const completed = async (): Promise<string[]> =>
  (await server.call('GET', '/v1/users/ann/achievements')).body.map(({ key }: Json) => key).sort();

beforeAll(async () => {
  server = await startTestServer({ env: { LAUREL_CONFIG: 'none' } });
  pool = createPool(server.databaseUrl, createLog('test', 'silent'));
  const { status, body } = await admin('PUT', '/config', CONFIG);
  expect([status, body.error]).toEqual([200, undefined]);
  await server.startRelay();
  await record();
});
afterAll(async () => {
  await pool?.end();
  await server?.stop();
});

describe('points', () => {
  test('are adjusted as they are, without boosts, on leaderboards too', async () => {
    const { status, body } = await adjust(5);
    expect([status, body]).toEqual([
      201,
      { id: expect.any(String), pointsSystem: 'xp', amount: 5, awarded: 5, total: 25, reason: 'Test' },
    ]);
    const { total, awards } = await points();
    expect(total).toBe(25);
    expect(awards[0]).toMatchObject({
      id: body.id,
      awarded: 5,
      total: 25,
      trigger: { type: 'adjustment' },
      boosts: [],
    });
    const board = await server.call('GET', '/v1/leaderboards/xp');
    expect(board.body.rankings).toMatchObject([{ userId: 'ann', value: 25 }]);
  });

  test('stay within 0 and the maximum', async () => {
    expect((await adjust(1_000)).body).toMatchObject({ amount: 1_000, awarded: 75, total: 100 });
    expect((await adjust(1)).body).toMatchObject({ awarded: 0, total: 100 });
    expect((await adjust(-1_000)).body).toMatchObject({ awarded: -100, total: 0 });
    expect((await points()).awards).toHaveLength(4);
  });

  test('are adjusted once for a key, also at the same moment and after the audit log was lost', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => adjust(7, { idempotencyKey: 'ticket' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 202, 202]);
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect((await points()).total).toBe(7);
    await pool.query(`delete from audit_log where kind = 'pointsAdjustments'`);
    const { status, body } = await adjust(7, { idempotencyKey: 'ticket' });
    expect([status, body.awarded, body.total]).toEqual([202, 7, 7]);
    expect((await adjust(7, { idempotencyKey: 'other' })).status).toBe(201);
    expect((await points()).total).toBe(14);
  });

  test('are shown with the reason in the timeline and as a source of points', async () => {
    await adjust(1, { reason: 'Lost in the post' });
    const { items } = (await admin('GET', '/users/ann/timeline?kinds=points&limit=1')).body;
    expect(items).toMatchObject([
      { awarded: 1, reason: 'Lost in the post', trigger: { type: 'adjustment' } },
    ]);
    const audit = (await admin('GET', '/audit?userId=ann&limit=1')).body;
    expect(audit).toMatchObject([{ kind: 'pointsAdjustments', after: { reason: 'Lost in the post' } }]);
    const { sources, sinks } = (await admin('GET', '/analytics/points/xp')).body;
    const adjusted = await pool.query(
      'select sum(greatest(awarded, 0)) as gained, -sum(least(awarded, 0)) as spent from award_history where trigger = 0',
    );
    expect(sources.find(({ type }: Json) => type === 'adjustment').points).toBe(adjusted.rows[0].gained);
    expect(sinks.find(({ type }: Json) => type === 'adjustment').points).toBe(adjusted.rows[0].spent);
  });

  test.each([
    [{ amount: 0 }, 422],
    [{ amount: 1.5 }, 422],
    [{ reason: '' }, 422],
    [{ idempotencyKey: '' }, 422],
  ])('with %o are refused', async (more, status) => {
    expect((await adjust(1, more)).status).toBe(status);
  });

  test('of an unknown user are not found', async () => {
    expect((await adjust(1, {}, 'nobody')).status).toBe(404);
    expect(
      (await admin('POST', '/users/ann/points/nix/adjustments', { amount: 1, reason: 'x' })).status,
    ).toBe(404);
  });
});

describe('achievements', () => {
  const complete = (key: string): Promise<Reply> =>
    server.call('POST', `/v1/achievements/${key}/complete`, { user: { id: 'ann' } });
  const inHistory = async (): Promise<number> =>
    (await pool.query(`select count(*)::int as count from completed_achievements where user_id = 'ann'`))
      .rows[0].count;
  const completions = async (key: string): Promise<number> =>
    (await admin('GET', '/analytics/achievements')).body.achievements.find((one: Json) => one.key === key)
      .totalCompletions;

  test('are revoked, and progress does not complete them again', async () => {
    expect(await completed()).toEqual(['first']);
    expect((await revoke('first')).body).toEqual({ achievement: 'first', revoked: true });
    expect((await revoke('first')).body).toEqual({ achievement: 'first', revoked: false });
    await record();
    expect(await completed()).toEqual([]);
    expect(await completions('first')).toBe(0);
    expect(await inHistory()).toBe(0);
    const all = (await server.call('GET', '/v1/achievements')).body;
    expect(all.find(({ key }: Json) => key === 'first')).toMatchObject({ completions: 0, rarity: 0 });
  });

  test('that are revoked complete no other', async () => {
    await complete('profile');
    expect(await completed()).toEqual(['profile']);
  });

  test('of the API can be completed again, under a new id', async () => {
    const { completionId } = (await complete('profile')).body;
    await revoke('profile');
    expect(await completed()).toEqual([]);
    const { body } = await complete('profile');
    expect(body.achievement).toMatchObject({ key: 'profile' });
    expect(body.completionId).not.toBe(completionId);
    expect((await complete('profile')).body.completionId).toBe(body.completionId);
    expect(await completed()).toEqual(['profile']);
    expect(await completions('profile')).toBe(1);
    expect(await inHistory()).toBe(1);
  });

  test('that are revoked are in the timeline', async () => {
    const { items } = (await admin('GET', '/users/ann/timeline?kinds=admin')).body;
    expect(items.find(({ subject }: Json) => subject === 'completions')).toMatchObject({
      action: 'delete',
      before: { achievement: 'profile' },
      after: { reason: 'A bot' },
    });
  });

  test('are granted whatever their trigger is, once, with what follows from them', async () => {
    const grant = (key: string, id = 'ann'): Promise<Reply> =>
      admin('POST', `/users/${id}/achievements/${key}/grant`, { reason: 'Offline' });
    expect((await grant('first')).body).toEqual({ achievement: 'first', granted: true });
    expect((await grant('first')).body).toEqual({ achievement: 'first', granted: false });
    expect(await completed()).toEqual(['both', 'first', 'profile']);
    const { items } = (await admin('GET', '/users/ann/timeline?kinds=admin')).body;
    expect(
      items.filter(({ subject, action }: Json) => subject === 'completions' && action === 'create'),
    ).toEqual([
      expect.objectContaining({
        actor: expect.any(String),
        after: { achievement: 'first', reason: 'Offline' },
      }),
    ]);
    await revoke('first');
    expect((await grant('first')).body.granted).toBe(true);
    await revoke('first');
    await revoke('both');
    expect((await grant('nix')).status).toBe(404);
    expect((await grant('first', 'nobody')).status).toBe(404);
    expect((await admin('POST', '/users/ann/achievements/first/grant', {})).status).toBe(422);
  });

  test('that do not exist cannot be revoked, nor those of an unknown user', async () => {
    expect((await revoke('nix')).status).toBe(404);
    expect((await revoke('first', 'nobody')).status).toBe(404);
    expect((await admin('POST', '/users/ann/achievements/first/revoke', {})).status).toBe(422);
  });

  test('are not listed while they are inactive, not even for users who have completed them', async () => {
    await complete('profile');
    const { body } = await admin('GET', '/achievements?limit=100');
    const { id } = body.find(({ key }: Json) => key === 'profile');
    const setStatus = (status: string): Promise<Reply> => admin('PATCH', '/achievements', [{ id, status }]);
    expect((await setStatus('inactive')).body.issues).toEqual([]);
    expect(await completed()).toEqual([]);
    await setStatus('active');
    expect(await completed()).toEqual(['profile']);
  });
});
