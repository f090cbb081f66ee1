import { beforeEach, expect, test } from 'vitest';
import { lessonStreak } from '../support/items.ts';
import type { Json } from '../support/reading.ts';
import { DAY_MS } from '../support/testTime.ts';
import { useServer } from '../support/useServer.ts';

/** Reads of the streaks of all users while streaks are switched off, and once they are switched on again. */

const server = useServer({
  config: {
    metrics: [{ key: 'lessons', name: 'Lessons' }],
    streak: lessonStreak({ frequency: 'daily' }),
  },
  now: '2026-11-19T12:00:00Z',
  relay: true,
  tenantEach: true,
});
const { admin, get, moveTo, record, relayed } = server;

const switchStreaks = async (enabled: boolean): Promise<void> => {
  expect((await admin('PATCH', '/streaks/settings', { enabled })).status).toBe(200);
};
const nextDay = () => moveTo(server.clock.now() + DAY_MS);
const ids = (users: Json): string[] => users.map(({ id, userId }: Json) => id ?? userId).sort();

/** What is read of the streaks of all users. */
async function readsOf() {
  await relayed();
  const { lengths, survival } = await get('/admin/v1/analytics/streaks?from=2026-11-01&to=2026-11-30');
  return {
    ...{ lengths, survival },
    ranked: await get('/v1/streaks/rankings?type=active'),
    atRisk: (await get('/admin/v1/analytics/streaks-at-risk?minLength=1')).streaks,
    filtered: ids((await get('/admin/v1/users?streakMin=1')).users),
    others: ids((await get('/admin/v1/users?streakMax=0')).users),
    sorted: ids((await get('/admin/v1/users?sort=streak')).users),
  };
}

beforeEach(async () => {
  await record('ada');
  await nextDay();
  for (const id of ['ada', 'ben']) await record(id);
});

test('nobody has a streak while streaks are switched off', async () => {
  await switchStreaks(false);
  const none = { lengths: [], survival: [], ranked: [], atRisk: [], filtered: [], sorted: [] };
  expect(await readsOf()).toEqual({ ...none, others: ['ada', 'ben'] });
});

test('streaks that have not ended are those of before, also of users who were active meanwhile', async () => {
  const before = await readsOf();
  expect(before.lengths).toEqual([1, 2].map((length) => ({ length, users: 1 })));
  await switchStreaks(false);
  await record('ada');
  await relayed();
  await switchStreaks(true);
  await moveTo(server.clock.now() + 1_000);
  expect(await readsOf()).toEqual(before);
  await nextDay();
  expect((await readsOf()).atRisk.map(({ userId }: Json) => userId)).toEqual(['ada', 'ben']);
  await server.expectSameStores();
});
