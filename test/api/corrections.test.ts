import { beforeEach, describe, expect, test } from 'vitest';
import { achievement, item, items, perLesson, xp, xpBoard } from '../support/items.ts';
import type { Json } from '../support/reading.ts';
import type { Reply } from '../support/server.ts';
import { useServer } from '../support/useServer.ts';

/** What administrators correct: points of a user, and achievements that should not have been completed. */

const CONFIG = {
  metrics: items('lessons'),
  achievements: [
    achievement('first', 1),
    item('profile', { trigger: 'api' }),
    item('both', { trigger: 'achievement', achievements: ['first', 'profile'] }),
  ],
  points: [
    xp([perLesson(10)], { maxPoints: 100, boosts: [{ name: 'Double', start: '2020-01-01', multiplier: 2 }] }),
  ],
  leaderboards: [xpBoard('xp', { name: 'XP' })],
};

const server = useServer({ config: CONFIG, relay: true, tenantEach: true });
const { admin, call } = server;
const adjust = (amount: number, more: object = {}, id = 'ann'): Promise<Reply> =>
  admin('POST', `/users/${id}/points/xp/adjustments`, { amount, reason: 'Test', ...more });
const revoke = (key: string, id = 'ann'): Promise<Reply> =>
  admin('POST', `/users/${id}/achievements/${key}/revoke`, { reason: 'A bot' });
const record = (id = 'ann'): Promise<Reply> =>
  call('POST', '/v1/metrics/lessons/event', { user: { id }, value: 1 });
const points = async (): Promise<Json> => (await call('GET', '/v1/users/ann/points/xp?awards=100')).body;
const completed = async (): Promise<string[]> =>
  (await call('GET', '/v1/users/ann/achievements')).body.map(({ key }: Json) => key).sort();

/** Ann has 20 points and the first achievement. */
beforeEach(() => record());

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
    const board = await call('GET', '/v1/leaderboards/xp');
    expect(board.body.rankings).toMatchObject([{ userId: 'ann', value: 25 }]);
  });

  test('stay within 0 and the maximum', async () => {
    expect((await adjust(1_000)).body).toMatchObject({ amount: 1_000, awarded: 80, total: 100 });
    expect((await adjust(1)).body).toMatchObject({ awarded: 0, total: 100 });
    expect((await adjust(-1_000)).body).toMatchObject({ awarded: -100, total: 0 });
    expect((await points()).awards).toHaveLength(3);
  });

  test('are adjusted once for a key, also at the same moment and after the audit log was lost', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => adjust(7, { idempotencyKey: 'ticket' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 202, 202]);
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect((await points()).total).toBe(27);
    await server.pool.query(`delete from audit_log where kind = 'pointsAdjustments'`);
    const { status, body } = await adjust(7, { idempotencyKey: 'ticket' });
    expect([status, body.awarded, body.total]).toEqual([202, 7, 27]);
    expect((await adjust(7, { idempotencyKey: 'other' })).status).toBe(201);
    expect((await points()).total).toBe(34);
  });

  test('are shown with the reason in the timeline and as a source of points', async () => {
    for (const amount of [4, -2]) await adjust(amount);
    await adjust(1, { reason: 'Lost in the post' });
    const { items } = (await admin('GET', '/users/ann/timeline?kinds=points&limit=1')).body;
    expect(items).toMatchObject([
      { awarded: 1, reason: 'Lost in the post', trigger: { type: 'adjustment' } },
    ]);
    const audit = (await admin('GET', '/audit?userId=ann&limit=1')).body;
    expect(audit).toMatchObject([{ kind: 'pointsAdjustments', after: { reason: 'Lost in the post' } }]);
    const { sources, sinks } = (await admin('GET', '/analytics/points/xp')).body;
    const pointsOf = (rows: Json[]) => rows.find(({ type }: Json) => type === 'adjustment').points;
    expect([pointsOf(sources), pointsOf(sinks)]).toEqual([5, 2]);
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
    call('POST', `/v1/achievements/${key}/complete`, { user: { id: 'ann' } });
  const inHistory = async (): Promise<number> =>
    (await server.pool.query('select from completed_achievements where tenant = $1', [server.no])).rowCount!;
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
    const all = (await call('GET', '/v1/achievements')).body;
    expect(all.find(({ key }: Json) => key === 'first')).toMatchObject({ completions: 0, rarity: 0 });
    const own = (await call('GET', '/v1/users/ann/achievements?includeIncomplete=true')).body;
    expect(own.find(({ key }: Json) => key === 'first').progress).toEqual({ current: 1, target: 1 });
  });

  test('that are revoked complete no other', async () => {
    await revoke('first');
    await complete('profile');
    expect(await completed()).toEqual(['profile']);
  });

  test('of the API can be completed again, under a new id', async () => {
    await revoke('first');
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
    await complete('profile');
    await revoke('profile');
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
    await revoke('first');
    await complete('profile');
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
    await revoke('first');
    await complete('profile');
    const id = await server.idOf('/achievements', 'profile');
    const setStatus = (status: string): Promise<Reply> => admin('PATCH', '/achievements', [{ id, status }]);
    expect((await setStatus('inactive')).body.issues).toEqual([]);
    expect(await completed()).toEqual([]);
    await setStatus('active');
    expect(await completed()).toEqual(['profile']);
  });
});

test('a change of a user that names no item has none in the audit log', async () => {
  await admin('POST', '/metrics', items('undefined'));
  expect((await admin('POST', '/users/ann/block', { reason: 'A bot' })).status).toBeLessThan(300);
  const { body } = await admin('GET', '/audit?userId=ann&limit=1');
  expect(body).toMatchObject([{ after: { reason: 'A bot' }, item: null }]);
});
