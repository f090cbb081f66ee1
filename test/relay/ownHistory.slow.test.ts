import { expect, test } from 'vitest';
import { items, lessonStreak, metricBoard, perLesson, xp } from '../support/items.ts';
import { useServer } from '../support/useServer.ts';

/** Reads that only PostgreSQL answers, while events of other users have not been relayed. */

const server = useServer({
  config: {
    metrics: items('lessons'),
    streak: lessonStreak(),
    points: [xp([perLesson(10)])],
    leaderboards: [metricBoard('all')],
  },
  env: { LAUREL_HISTORY_WAIT_MS: '0' },
});

const DAYS = 'startDate=2026-01-01&endDate=2026-01-30&aggregation=daily';
const LONGER_FORMS = [
  `metrics/lessons/event-summary?${DAYS}`,
  `points/xp/event-summary?${DAYS}`,
  'points/xp?awards=50',
  'leaderboards/all?numEvents=50',
  'streak?historyPeriods=60',
];
const statusesOf = (userId: string): Promise<number[]> =>
  Promise.all(
    LONGER_FORMS.map(async (path) => (await server.call('GET', `/v1/users/${userId}/${path}`)).status),
  );

test('longer forms wait only for what happened to their own user', async () => {
  const relay = await server.startRelay();
  await server.record('ann');
  await server.relayed();
  await relay.stop();
  await server.record('bo');
  expect(await statusesOf('ann')).toEqual(LONGER_FORMS.map(() => 200));
  expect(await statusesOf('bo')).toEqual(LONGER_FORMS.map(() => 503));
  await server.record('ann');
  expect(await statusesOf('ann')).toEqual(LONGER_FORMS.map(() => 503));
  await server.startRelay();
  await server.relayed();
  for (const user of ['ann', 'bo']) expect(await statusesOf(user)).toEqual(LONGER_FORMS.map(() => 200));
});
