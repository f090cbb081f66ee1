import { describe, expect, test } from 'vitest';
import { countedGoal, item, items, perLesson, xp } from '../support/items.ts';
import type { Json } from '../support/reading.ts';
import { restoreServer } from '../support/restoreServer.ts';
import { useServer } from '../support/useServer.ts';
import { weeksApart } from '../support/weeksApart.ts';

/** Joining, leaving and claiming challenges over HTTP. Each test begins on a Wednesday, four weeks after the one before. */

const once = [{ ...item('one'), metric: 'lessons', aggregate: 'count' as const, target: 2 }];
const WEEKLY = { start: '2026-01-01', runUnit: 'week', runInterval: 1, goals: once };
const CONFIG = {
  attributes: { user: items('plan') },
  metrics: items('lessons'),
  streak: {
    metrics: [{ key: 'lessons', threshold: 1 }],
    freezes: { startCount: 0, maxCount: 3 },
  },
  achievements: [item('medal', { trigger: 'api' })],
  points: [xp([perLesson(10)])],
  challenges: [
    item('joined', {
      ...WEEKLY,
      join: 'optIn',
      where: { not: { user: { attribute: 'plan', eq: 'free' } } },
      rewards: { freezes: 2 },
    }),
    item('claimed', {
      ...WEEKLY,
      claim: 'manual',
      claimDays: 9,
      rewards: {
        points: [{ system: 'xp', points: 50 }],
        achievement: 'medal',
        boost: { system: 'xp', multiplier: 1.5, hours: 24 },
      },
    }),
  ],
};

const server = useServer({ config: CONFIG, relay: true, worker: true, tenantEach: true });
const { call, admin } = server;
const { day, at } = weeksApart(server, 4);
const send = (more: object = {}): Promise<Json> => server.record('ann', 1, 'lessons', more);
const step = async (path: string): Promise<Json> => {
  const { status, body } = await call('POST', `/v1/users/ann/challenges/${path}`);
  return status === 200 ? body : { status, error: body.error };
};
const read = async (path: string): Promise<Json> =>
  (await call('GET', `/v1/users/ann/challenges/${path}`)).body;
const xpOf = async (): Promise<number> => (await call('GET', '/v1/users/ann/points/xp')).body.total;
const changesOf = async (key: string): Promise<string[]> => {
  await server.relayed();
  const { items: found } = (await admin('GET', '/users/ann/timeline?kinds=challenge')).body;
  return found.filter((one: Json) => one.challenge.key === key).map((one: Json) => one.change);
};

describe('joining', () => {
  test('only events after joining count, in the run joined', async () => {
    expect((await send()).challenges).not.toHaveProperty('joined');
    expect(await read('joined')).toMatchObject({ joined: false, joinedAt: null });
    const joined = await step('joined/join');
    expect(joined).toMatchObject({ joined: true, joinedAt: `${day(0)}T10:00:00.000Z` });
    await at(0, '10:00:01');
    expect(await step('joined/join')).toEqual(joined);
    expect((await send()).challenges.joined.goals[0].progress).toBe(1);
    const late = { timestamp: `${day(0)}T09:00:00Z` };
    expect((await send(late)).challenges).not.toHaveProperty('joined');
    await at(5);
    expect((await send()).challenges).not.toHaveProperty('joined');
    expect(await read('joined')).toMatchObject({ joined: false });
    expect(await changesOf('joined')).toEqual(['joined']);
  });

  test('leaving forgets the progress, and completing gives freezes', async () => {
    await send();
    await step('joined/join');
    await send();
    await at(0, '10:00:01');
    const left = await step('joined/leave');
    expect(left).toMatchObject({ joined: false, goals: [{ progress: 0 }] });
    expect(await step('joined/leave')).toEqual(left);
    await at(0, '10:00:02');
    await step('joined/join');
    await send();
    const { challenges } = await send();
    expect(challenges.joined).toMatchObject({ completed: true, claimable: false });
    expect((await call('GET', '/v1/users/ann/streak')).body.freezes).toBe(2);
    expect(await step('joined/leave')).toMatchObject({
      status: 422,
      error: 'User ann has completed the challenge in this run',
    });
    expect(await changesOf('joined')).toEqual(['completed', 'joined', 'left', 'joined']);
  });

  test('users who may not take part cannot join', async () => {
    await send({ user: { id: 'ann', attributes: { plan: 'free' } } });
    expect(await step('joined/join')).toMatchObject({ status: 422 });
    expect(await step('claimed/join')).toMatchObject({
      status: 422,
      error: 'Users take part in challenge claimed without joining',
    });
    expect(await step('unknown/join')).toMatchObject({ status: 404 });
  });

  test('a restore of Redis knows who has joined', async () => {
    await send();
    await step('joined/join');
    await send();
    await server.relayed();
    const before = await read('joined');
    await restoreServer(server);
    expect(await read('joined')).toEqual(before);
  });
});

describe('claiming', () => {
  test('three claims at once give once', async () => {
    await send();
    expect(await step('claimed/claim')).toMatchObject({
      status: 422,
      error: 'User ann has not completed the challenge in this run',
    });
    const { challenges, achievements } = await send();
    expect(challenges.claimed).toMatchObject({ completed: true, claimable: true });
    expect([achievements, await xpOf()]).toEqual([[], 20]);
    await at(0, '10:01:00');
    const answers = await Promise.all([1, 2, 3].map(() => step('claimed/claim')));
    expect(answers[0]).toMatchObject({ claimable: false, claimedAt: `${day(0)}T10:01:00.000Z` });
    expect(answers).toEqual([answers[0], answers[0], answers[0]]);
    expect(await xpOf()).toBe(70);
    expect((await call('GET', '/v1/users/ann/achievements')).body.map(({ key }: Json) => key)).toEqual([
      'medal',
    ]);
    expect(await changesOf('claimed')).toEqual(['claimed', 'completed']);
  });

  test('a boost multiplies what the user gets afterwards, for its hours', async () => {
    await send();
    await send();
    await step('claimed/claim');
    expect((await send()).points.xp.added).toBe(15);
    await at(1, '09:59:59');
    expect((await send()).points.xp.added).toBe(15);
    await at(1);
    expect((await send()).points.xp.added).toBe(10);
    expect((await server.record('bob', 1, 'lessons')).points.xp.added).toBe(10);
  });

  test('a refused event leaves no boost to the next event of its call', async () => {
    const boost = { system: 'xp', multiplier: 2, hours: 1 };
    await server.configure({
      metrics: items('lessons', 'minutes'),
      points: [xp([{ ...perLesson(-1), blockIfOutOfPoints: true }])],
      challenges: [item('quest', { ...WEEKLY, goals: [countedGoal('one', 1)], rewards: { boost } })],
    });
    const events = [
      { key: 'lessons', user: { id: 'ann' }, value: 1 },
      { key: 'minutes', user: { id: 'bob' }, value: 1 },
    ];
    const { body } = await admin('POST', '/metrics/events', events);
    expect(body).toMatchObject({ accepted: 1, refused: [{ index: 0 }] });
    expect((await call('GET', '/v1/users/bob/points/xp/boosts')).body).toEqual([]);
  });

  test('awards and the list of boosts name the boost of a challenge, as it was', async () => {
    await send();
    await send();
    await step('claimed/claim');
    const [, claimed] = (await call('GET', '/v1/challenges')).body;
    const boost = {
      id: claimed.id,
      name: 'Claimed',
      status: 'active',
      start: '2026-01-01',
      end: null,
      multiplier: 1.5,
      rounding: 'down',
      challengeKey: 'claimed',
    };
    const given = { ...boost, start: `${day(0)}T10:00:00.000Z`, end: `${day(1)}T10:00:00.000Z` };
    const listed = async (): Promise<Json> => (await call('GET', '/v1/users/ann/points/xp/boosts')).body;
    const awarded = async (): Promise<Json> =>
      (await call('GET', '/v1/users/ann/points/xp?awards=2')).body.awards.map((one: Json) => one.boosts);
    expect((await send()).points.xp.awards).toMatchObject([{ awarded: 15, boosts: [boost] }]);
    expect(await listed()).toEqual([given]);
    await server.relayed();
    expect(await awarded()).toEqual([[boost], []]);
    const { items: timeline } = (await admin('GET', '/users/ann/timeline?kinds=points')).body;
    expect(timeline.map(({ boosts }: Json) => boosts)).toContainEqual(['Claimed']);
    const { records } = (await admin('GET', '/users/ann/export')).body;
    expect(records.award_history.map(({ boosts }: Json) => boosts)).toContainEqual(['claimed']);

    const changed = structuredClone(CONFIG) as Json;
    changed.challenges[1].rewards.boost.multiplier = 3;
    expect((await admin('PUT', '/config', changed)).status).toBe(200);
    expect([await awarded(), await listed()]).toEqual([[[boost], []], [given]]);
    expect((await send()).points.xp.awards).toMatchObject([{ awarded: 15, boosts: [] }]);
    await server.relayed();
    expect(await awarded()).toEqual([[boost], [boost]]);
    await at(1);
    expect(await listed()).toEqual([]);
  });

  test('rewards lapse', async () => {
    await send();
    await send();
    await at(9, '09:59:59');
    expect(await read(`claimed?run=${day(0)}`)).toMatchObject({ claimable: true });
    await at(9);
    expect(await read(`claimed?run=${day(0)}`)).toMatchObject({ claimable: false, completed: true });
    expect(await step(`claimed/claim?run=${day(0)}`)).toMatchObject({
      status: 422,
      error: 'User ann has not claimed the rewards in time',
    });
    expect(await xpOf()).toBe(20);
  });
});

test('an administrator completes a challenge, once', async () => {
  await send();
  const body = { reason: 'Done on paper' };
  const complete = async (): Promise<Json> =>
    (await admin('POST', '/users/ann/challenges/joined/complete', body)).body;
  expect(await complete()).toEqual({ challenge: 'joined', completed: true });
  expect(await complete()).toEqual({ challenge: 'joined', completed: false });
  expect(await read('joined')).toMatchObject({ completed: true, goals: [{ progress: 0 }] });
  expect((await call('GET', '/v1/users/ann/streak')).body.freezes).toBe(2);
  expect(await changesOf('joined')).toEqual(['completed']);
});
