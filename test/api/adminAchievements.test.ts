import { beforeAll, describe, expect, test } from 'vitest';
import { useServer } from '../support/useServer.ts';

/** What the Admin API of achievements takes beyond the other kinds of configured things (adminApi.test.ts). */

const server = useServer({ config: 'none' });
let lessons: string;
const { admin, create } = server;

beforeAll(async () => {
  lessons = (await create('/metrics', { key: 'lessons', name: 'Lessons' })).id;
  await admin('PATCH', '/streaks/settings', { metrics: [{ key: 'lessons', threshold: 1 }] });
});

describe('the key of an achievement', () => {
  test('is made from the name for every trigger but api, and free', async () => {
    const keys = [];
    for (const name of ['Zehn Schöne Übungen!', 'zehn schone ubungen', '一周年', '二周年']) {
      keys.push((await create('/achievements', { name, trigger: 'streak', streakLength: 3 })).key);
    }
    expect(keys).toEqual(['zehn-schone-ubungen', 'zehn-schone-ubungen-2', 'achievement', 'achievement-2']);
    const long = await create('/achievements', { name: 'x'.repeat(255), trigger: 'streak', streakLength: 3 });
    expect(long.key).toBe('x'.repeat(249));
  });

  test('is made for each item of a batch', async () => {
    const item = { name: 'Twin', trigger: 'metric', metricId: lessons, metricValue: 9 };
    const { body } = await admin('POST', '/achievements', [item, { ...item, metricId: 'none' }, item]);
    expect(body.created.map(({ key }: { key: string }) => key)).toEqual(['twin', 'twin-2']);
    expect(body.issues).toMatchObject([{ index: 1 }]);
  });

  test('is required for api, unique, and can be changed', async () => {
    const { body } = await admin('POST', '/achievements', [{ name: 'Profile', trigger: 'api' }]);
    expect(body).toMatchObject({ created: [], issues: [{ index: 0, message: 'key is required' }] });
    const { id } = await create('/achievements', {
      key: 'filled',
      name: 'P',
      trigger: 'api',
      status: 'active',
    });
    await create('/achievements', { key: 'taken', name: 'T', trigger: 'api' });
    const taken = await admin('PATCH', '/achievements', [{ id, key: 'taken' }]);
    expect(taken.body.issues).toMatchObject([
      { id, message: expect.stringContaining('key is not unique: taken') },
    ]);
    const complete = (key: string) =>
      server.call('POST', `/v1/achievements/${key}/complete`, { user: { id: 'ada' } });
    const first = (await complete('filled')).body;
    expect((await admin('PATCH', '/achievements', [{ id, key: 'profile' }])).body.issues).toEqual([]);
    expect((await complete('filled')).status).toBe(404);
    expect((await complete('profile')).body).toMatchObject({ completionId: first.completionId });
  });
});

test('an achievement is inactive at first', async () => {
  expect(await create('/achievements', { key: 'new', name: 'New', trigger: 'api' })).toMatchObject({
    status: 'inactive',
    badge: null,
    description: null,
    userAttributes: [],
  });
});

test('an active achievement is shown to all, a locked one to those who have it, an inactive one to nobody', async () => {
  const { id } = await create('/achievements', {
    key: 'seen',
    name: 'Seen',
    trigger: 'api',
    status: 'active',
  });
  const complete = (user: string) =>
    server.call('POST', '/v1/achievements/seen/complete', { user: { id: user } });
  const isShown = async (path: string): Promise<boolean> =>
    (await server.call('GET', path)).body.some((one: { id: string }) => one.id === id);
  const shown = () =>
    Promise.all(
      [
        '/v1/achievements',
        '/v1/users/has/achievements',
        '/v1/users/lacks/achievements?includeIncomplete=true',
      ].map(isShown),
    );
  await complete('has');
  await server.call('PUT', '/v1/users/lacks', {});
  expect(await shown()).toEqual([true, true, true]);
  await admin('PATCH', '/achievements', [{ id, status: 'locked' }]);
  expect(await shown()).toEqual([false, true, false]);
  expect((await complete('lacks')).status).toBe(422);
  await admin('PATCH', '/achievements', [{ id, status: 'inactive' }]);
  expect(await shown()).toEqual([false, false, false]);
});

describe('the trigger of an achievement', () => {
  test('can be changed with the fields of the new one; those of the old one go, completions stay', async () => {
    const record = (id: string, value: number) =>
      server.call('POST', '/v1/metrics/lessons/event', { user: { id }, value });
    const { id } = await create('/achievements', {
      name: 'Moving',
      trigger: 'metric',
      status: 'active',
      metricId: lessons,
      metricValue: 5,
    });
    expect((await record('eve', 5)).body.achievements).toMatchObject([{ id }]);
    const incomplete = await admin('PATCH', '/achievements', [{ id, trigger: 'streak' }]);
    expect(incomplete.body.issues[0].message).toBe('streakLength is required when trigger is streak');
    const foreign = await admin('PATCH', '/achievements', [
      { id, trigger: 'streak', streakLength: 2, metricId: lessons },
    ]);
    expect(foreign.body.issues[0].message).toBe('metricId must be left out when trigger is streak');
    const { body } = await admin('PATCH', '/achievements', [{ id, trigger: 'streak', streakLength: 1 }]);
    expect(body.issues).toEqual([]);
    expect(body.updated[0]).not.toHaveProperty('metricId');
    expect(body.updated[0]).toMatchObject({ key: 'moving', trigger: 'streak', streakLength: 1 });
    const own = (await server.call('GET', '/v1/users/eve/achievements')).body;
    expect(own).toMatchObject([{ id, trigger: 'streak', achievedAt: expect.any(String) }]);
    expect((await record('bob', 1)).body.achievements).toMatchObject([{ id, trigger: 'streak' }]);
    expect((await record('eve', 1)).body.achievements).toEqual([]);
  });

  test('metric can get another metric', async () => {
    const words = await create('/metrics', { key: 'words', name: 'Words' });
    const { id } = await create('/achievements', {
      name: 'Counted',
      trigger: 'metric',
      status: 'active',
      metricId: lessons,
      metricValue: 1_000,
    });
    await admin('PATCH', '/achievements', [{ id, metricId: words.id }]);
    const event = await server.call('POST', '/v1/metrics/words/event', { user: { id: 'kim' }, value: 1_000 });
    expect(event.body.achievements).toMatchObject([{ id, metricName: 'Words', metricValue: 1_000 }]);
  });
});

test('a points trigger is inactive at first', async () => {
  const { id } = await create('/points', {
    key: 'xp',
    name: 'XP',
    triggers: [{ type: 'user_creation', points: 5 }],
  });
  expect((await admin('GET', `/points/${id}/triggers`)).body).toMatchObject([{ status: 'inactive' }]);
  const user = await server.call('POST', '/v1/metrics/lessons/event', { user: { id: 'new' }, value: 1 });
  expect(user.body.points).toEqual({});
});
