import { beforeEach, expect, test } from 'vitest';
import { items, xp } from '../support/items.ts';
import { type Json, moveClock, read, record } from '../support/reading.ts';
import { useServer } from '../support/useServer.ts';

/** What awards show as their cause after its trigger or boost has been changed or deleted. */

const CONFIG = {
  attributes: { event: items('skill') },
  metrics: items('lessons', 'words'),
  points: [
    xp(
      [
        { type: 'metric', metric: 'lessons', metricThreshold: 3, points: 10 },
        {
          type: 'metric',
          metric: 'words',
          metricThreshold: 1,
          points: 1,
          eventAttributes: { skill: 'speaking' },
        },
      ],
      { boosts: [{ name: 'Double', start: '2026-01-01', multiplier: 2 }] },
    ),
  ],
};

const server = useServer({
  config: CONFIG,
  env: { LAUREL_TEST_CLOCK: '2026-03-04T12:00:00Z' },
  relay: true,
  tenantEach: true,
});
let system: string;
beforeEach(async () => {
  system = await server.idOf('/points', 'xp');
});

const admin = (method: string, path: string, body?: unknown): Promise<Json> =>
  server.answer(method, `/admin/v1${path}`, body);

const parts = (kind: 'triggers' | 'boosts'): Promise<Json[]> =>
  admin('GET', `/points/${system}/${kind}?limit=10`);
const awardsOf = async (user: string): Promise<Json[]> =>
  (await read(server, `/users/${user}/points/xp?awards=10`)).awards;
const triggersOf = (awards: Json[]): Json[] => awards.map(({ trigger }) => trigger);

/** Points of the trigger, number of awards, and points awarded. */
async function sources(): Promise<number[][]> {
  const { sources: found } = await admin(
    'GET',
    '/analytics/points/xp?from=2026-03-01&to=2026-03-31&interval=day',
  );
  return found.map(({ trigger, awards, points }: Json) => [trigger.points, awards, points]);
}

test('awards keep the trigger and boosts of their response when these are changed and deleted', async () => {
  const first = (await record(server, { id: 'ann' }, 3)).points.xp.awards[0];
  const [trigger] = await parts('triggers');
  const [boost] = await parts('boosts');
  await moveClock(server, '2026-03-05T12:00:00Z');
  await admin('PATCH', `/points/${system}/triggers`, [{ id: trigger.id, metricThreshold: 4, points: 20 }]);
  await admin('PATCH', `/points/${system}/boosts`, [{ id: boost.id, name: 'Triple', multiplier: 3 }]);
  expect(await awardsOf('ann')).toEqual([first]);

  // Progress made before the change counts: 3 of 4.
  const second = (await record(server, { id: 'ann' }, 1)).points.xp.awards[0];
  expect(second).toMatchObject({
    awarded: 60,
    trigger: { id: trigger.id, metricThreshold: 4, points: 20 },
    boosts: [{ id: boost.id, name: 'Triple', multiplier: 3 }],
  });
  expect(await awardsOf('ann')).toEqual([second, first]);

  await moveClock(server, '2026-03-06T12:00:00Z');
  await admin('PATCH', `/points/${system}/triggers`, [{ id: trigger.id, status: 'inactive' }]);
  await admin('DELETE', `/points/${system}/boosts?ids=${boost.id}`);
  expect(await awardsOf('ann')).toEqual([second, first]);
  await admin('DELETE', `/points/${system}/triggers?ids=${trigger.id}`);
  expect(await awardsOf('ann')).toEqual([second, first]);

  const { items } = await admin('GET', '/users/ann/timeline?kinds=points');
  expect(items).toMatchObject([
    { trigger: second.trigger, boosts: ['Triple'] },
    { trigger: first.trigger, boosts: ['Double'] },
  ]);
  expect(await sources()).toEqual([[20, 2, 80]]);
});

test('a cause outlives its metric and the attribute of its filter', async () => {
  const reply = await record(server, { id: 'bo' }, 1, 'words', { skill: 'speaking' });
  const shown = reply.points.xp.awards;
  expect(triggersOf(shown)).toMatchObject([
    { metricName: 'Words', eventAttributes: [{ key: 'skill', value: 'speaking' }] },
  ]);
  await admin('PUT', '/config?prune=true', {
    attributes: { event: [] },
    metrics: [CONFIG.metrics[0]],
    points: [xp([])],
  });
  expect(await awardsOf('bo')).toEqual(shown);
});

test('a changed trigger keeps its position, and analytics show it once, as it is now', async () => {
  const before = await parts('triggers');
  await admin('DELETE', `/points/${system}/triggers?ids=${before.map(({ id }) => id).join()}`);
  const ids = (
    await admin('POST', `/points/${system}/triggers`, [
      { type: 'metric', metricId: await metricId(), metricThreshold: 1, points: 5, status: 'active' },
      { type: 'metric', metricId: await metricId(), metricThreshold: 1, points: -2, status: 'active' },
    ])
  ).created.map(({ id }: Json) => id);
  await admin('PATCH', `/points/${system}/triggers`, [{ id: ids[0], points: 6 }]);
  expect((await parts('triggers')).map(({ id }) => id)).toEqual(ids);
  // In the other order, nothing could be taken from a new user.
  const { points } = await record(server, { id: 'cy' }, 1);
  expect(points.xp.awards.map(({ awarded }: Json) => awarded)).toEqual([12, -2]);
  expect(await sources()).toEqual([[6, 1, 12]]);
});

const metricId = async (): Promise<string> => (await admin('GET', '/metrics?limit=10'))[0].id;

test('the erasure of a user erases what the history keeps of the boosts of the user alone', async () => {
  const [created] = (
    await admin('POST', `/points/${system}/boosts`, [
      { name: 'For Dee', start: '2026-01-01', multiplier: 2, rounding: 'down', userId: 'dee' },
    ])
  ).created;
  await record(server, { id: 'dee' }, 3);
  await admin('PATCH', `/points/${system}/boosts`, [{ id: created.id, name: 'Still for Dee' }]);
  await record(server, { id: 'dee' }, 3);
  expect((await awardsOf('dee')).flatMap(({ boosts }) => boosts.map(({ name }: Json) => name))).toEqual(
    expect.arrayContaining(['For Dee', 'Still for Dee']),
  );
  await admin('DELETE', '/users/dee');
  const kept = await server.pool.query(
    `select no from past_causes where tenant = $1 and (user_id is not null or view::text like '%Dee%')`,
    [server.no],
  );
  expect(kept.rows).toEqual([]);
});
