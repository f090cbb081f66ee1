import { beforeAll, expect, test } from 'vitest';
import { useServer } from '../support/useServer.ts';

/** How many users complete an achievement and those before it, and who is near it. */

const server = useServer({ config: 'none' });
const id: Record<string, string> = {};

const create = async (path: string, item: { key: string; [field: string]: unknown }): Promise<void> => {
  id[item.key] = (await server.create(path, { name: item.key, ...item })).id;
};
const createTotal = (key: string, metricValue: number, more: object = {}): Promise<void> =>
  create('/achievements', {
    key,
    trigger: 'metric',
    metricId: id.lessons,
    metricValue,
    status: 'active',
    ...more,
  });

beforeAll(async () => {
  await create('/metrics', { key: 'lessons' });
  await create('/attributes', { key: 'plan', type: 'user' });
  await createTotal('hundred', 100);
  await createTotal('ten', 10);
  await createTotal('thirty', 30);
  await createTotal('past', 20, { status: 'inactive' });
  await createTotal('pro-ten', 10, { userAttributes: [{ attributeId: id.plan, attributeValue: 'pro' }] });
  await create('/achievements', { key: 'profile', trigger: 'api', status: 'active' });
  await create('/achievements', {
    key: 'all',
    trigger: 'achievement',
    achievementIds: [id.ten, id.profile],
    status: 'active',
  });
  for (const value of [5, 9, 10, 28, 40]) {
    const user = {
      id: `u${value}`,
      name: `User ${value}`,
      attributes: { plan: value === 9 ? 'pro' : 'free' },
    };
    const { status } = await server.call('POST', '/v1/metrics/lessons/event', { user, value });
    expect(status).toBe(201);
  }
  for (const user of ['u10', 'u5'])
    await server.call('POST', '/v1/achievements/profile/complete', { user: { id: user } });
});

const funnelOf = async (key: string) => {
  const { status, body } = await server.call('GET', `/admin/v1/analytics/achievements/${key}/funnel`);
  expect(status).toBe(200);
  const steps = body.steps.map(({ key: step, target, completions, lost }: Record<string, unknown>) => [
    step,
    target,
    completions,
    lost,
  ]);
  return { ...body, steps };
};

test('achievements of the same total follow each other, with the users lost between them', async () => {
  const { steps, totalUsers, neverCompleted, near } = await funnelOf('thirty');
  expect(totalUsers).toBe(5);
  expect(steps).toEqual([
    ['ten', 10, 3, 2],
    ['thirty', 30, 1, 2],
    ['hundred', 100, 0, 1],
  ]);
  expect(neverCompleted).toBe(4);
  expect(near).toEqual({
    users: 1,
    sampled: 5,
    examples: [{ id: 'u28', name: 'User 28', current: 28 }],
  });
});

test('nobody is near who has completed it or lacks an attribute', async () => {
  expect((await funnelOf('ten')).near).toMatchObject({ users: 1, examples: [{ id: 'u9' }] });
  expect((await funnelOf('hundred')).near).toEqual({ users: 0, sampled: 5, examples: [] });
  const { steps, near } = await funnelOf('pro-ten');
  expect(steps).toEqual([['pro-ten', 10, 0, 5]]);
  expect(near.examples).toEqual([{ id: 'u9', name: 'User 9', current: 9 }]);
});

test('prerequisites have no order; the achievement comes after the rarest', async () => {
  const { steps } = await funnelOf('all');
  expect(steps).toEqual([
    ['ten', 10, 3, null],
    ['profile', null, 2, null],
    ['all', null, 1, 1],
  ]);
});

test('of an achievement that the backend completes, nobody is known to be near', async () => {
  const { steps, near, neverCompleted } = await funnelOf('profile');
  expect(steps).toEqual([['profile', null, 2, 3]]);
  expect([near, neverCompleted]).toEqual([null, 3]);
  expect((await server.call('GET', '/admin/v1/analytics/achievements/nix/funnel')).status).toBe(404);
});
