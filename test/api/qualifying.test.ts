import { beforeAll, expect, test } from 'vitest';
import { lessonStreak } from '../support/items.ts';
import { useServer } from '../support/useServer.ts';

/** How many users qualify for an achievement that need not exist. */

const server = useServer({ config: 'none' });
const id: Record<string, string> = {};

const create = async (path: string, item: { key: string }): Promise<void> => {
  id[item.key] = (await server.create(path, { name: item.key, ...item })).id;
};

beforeAll(async () => {
  await create('/metrics', { key: 'lessons' });
  await server.call('PATCH', '/admin/v1/streaks/settings', lessonStreak());
  await create('/attributes', { key: 'plan', type: 'user' } as { key: string });
  await create('/attributes', { key: 'skill', type: 'event' } as { key: string });
  const ten = { trigger: 'metric', metricId: id.lessons, metricValue: 10, status: 'active' };
  await create('/achievements', { key: 'ten', ...ten } as { key: string });
  const years = ['2019-01-01', '2025-05-05', undefined];
  for (const [i, value] of [5, 10, 20].entries()) {
    const user = {
      id: `u${i}`,
      attributes: { plan: i === 2 ? 'pro' : 'free' },
      ...(years[i] && { signUpDate: years[i] }),
    };
    const { status } = await server.call('POST', '/v1/metrics/lessons/event', { user, value });
    expect(status).toBe(201);
  }
});

const count = async (body: object) => server.call('POST', '/admin/v1/achievements/qualifying', body);

test.each([
  ['a total', () => ({ trigger: 'metric', metricId: id.lessons, metricValue: 10 }), 2],
  ['a total nobody has', () => ({ trigger: 'metric', metricId: id.lessons, metricValue: 21 }), 0],
  ['a streak', () => ({ trigger: 'streak', streakLength: 1 }), 3],
  ['a longer streak', () => ({ trigger: 'streak', streakLength: 2 }), 0],
  ['prerequisites', () => ({ trigger: 'achievement', achievementIds: [id.ten] }), 2],
  ['years', () => ({ trigger: 'anniversary', anniversaryYears: 3 }), 1],
  ['the backend', () => ({ trigger: 'api' }), null],
  [
    'an attribute',
    () => ({
      trigger: 'streak',
      streakLength: 1,
      userAttributes: [{ attributeId: id.plan, attributeValue: 'pro' }],
    }),
    1,
  ],
  [
    'events that nothing has counted yet',
    () => ({
      trigger: 'metric',
      metricId: id.lessons,
      metricValue: 1,
      eventAttributes: [{ attributeId: id.skill, attributeValue: 'speaking' }],
    }),
    0,
  ],
])('%s', async (_title, body, qualifying) => {
  expect(await count(body())).toMatchObject({ status: 200, body: { users: 3, sampled: 3, qualifying } });
});

test('a condition that is incomplete or names something unknown is refused', async () => {
  const missing = await count({ trigger: 'metric', metricId: id.lessons });
  expect(missing.status).toBe(422);
  expect(missing.body.error).toBe('metricValue is required for the trigger metric');
  const unknown = await count({ trigger: 'achievement', achievementIds: ['none'] });
  expect(unknown.status).toBe(422);
  expect(unknown.body.error).toBe('achievementIds: there is no item with id none');
});
