import { expect, test } from 'vitest';
import { writeKeptMonths } from '../../src/db/installation.ts';
import { achievement, item, metricBoard, perLesson, xp } from '../support/items.ts';
import { putInForce } from '../support/putInForce.ts';
import type { Json } from '../support/reading.ts';
import { useServer } from '../support/useServer.ts';

/** Counters that are filled from the history when what uses them is activated. */

const USERS = Array.from({ length: 12 }, (_, i) => `user-${i}`);
const BASE = {
  attributes: {
    event: [
      { key: 'language', name: 'Language' },
      { key: 'distance', name: 'Distance', valueType: 'number' },
    ],
  },
  metrics: [item('lessons')],
};
const LONG = { attribute: 'distance', gte: 5 };
const ACHIEVEMENTS: Record<string, Json> = {
  long: achievement('long', 3, { aggregate: 'count', where: LONG }),
  far: achievement('far', 30, { aggregate: { sum: 'distance' } }),
  days: achievement('days', 5, { aggregate: 'days' }),
  week: achievement('week', 3, { aggregate: 'days', per: 'week' }),
  day: achievement('day', 4, { aggregate: 'count', per: 'day' }),
  month: achievement('month', 40, { per: 'month' }),
  languages: achievement('languages', 3, { aggregate: { distinct: 'language' } }),
  best: achievement('best', 9, { aggregate: { max: 'distance' } }),
  german: achievement('german', 4, { eventAttributes: { language: 'de' } }),
};

const server = useServer({ config: BASE, relay: true, worker: true, tenantEach: true });
const { admin, call } = server;

const configure = (config: object): Promise<void> => putInForce(admin, config);

async function achievementsOf(user: string): Promise<Record<string, number | 'completed'>> {
  const all: Json[] = (await call('GET', `/v1/users/${user}/achievements?includeIncomplete=true`)).body;
  return Object.fromEntries(all.map((one) => [one.key, one.progress?.current ?? 'completed']).sort());
}

const EVENTS: [day: number, hour: number, value: number, attributes: object][] = [
  [0, 10, 3, { language: 'de', distance: 4 }],
  [0, 12, 2, { language: 'fr' }],
  [1, 9, 5, { language: 'de', distance: 9.5 }],
  [4, 20, -1, { distance: 6 }],
  [9, 8, 8, { language: 'de' }],
  [9, 9, 1, {}],
  [9, 23, 1, { distance: 2 }],
];
const LAST = { language: 'it', distance: 30 };

test('have what they would have counted from the first event on, and go on from there', async () => {
  const all = Object.values(ACHIEVEMENTS);
  const inactive = all.map((one) => ({ ...one, status: 'inactive' }));
  const play = async (user: string, start: string): Promise<void> => {
    for (const [day, hour, value, attributes] of EVENTS) {
      await server.moveTo(Date.parse(start) + (24 * day + hour) * 3_600_000);
      await server.record(user, value, 'lessons', { attributes });
    }
  };
  const finish = async (user: string): Promise<unknown[]> => {
    const { achievements } = await server.record(user, 1, 'lessons', { attributes: LAST });
    return [achievements.map(({ key }: Json) => key).sort(), await achievementsOf(user)];
  };
  // Both months begin on a Monday, and have the same days.
  await server.moveTo('2027-02-01T00:00:00Z');
  await configure({ ...BASE, achievements: all });
  await play('ann', '2027-02-01T00:00:00Z');
  const atOnce = await achievementsOf('ann');
  const afterwards = await finish('ann');
  await configure({ ...BASE, achievements: inactive });
  await server.moveTo('2027-03-01T00:00:00Z');
  await play('bo', '2027-03-01T00:00:00Z');
  await configure({ ...BASE, achievements: all });
  expect(await achievementsOf('bo')).toEqual(atOnce);
  expect(await finish('bo')).toEqual(afterwards);
});

test('miss no event that arrives meanwhile', async () => {
  const send = (user: string): Promise<unknown> =>
    server.record(user, 1, 'lessons', { attributes: { distance: 7 } });
  for (let n = 0; n < 5; n++) await Promise.all(USERS.map(send));
  await server.relayed();
  const events = (async () => {
    for (let n = 0; n < 25; n++) await Promise.all(USERS.map(send));
  })();
  const counting = { aggregate: 'count', where: LONG };
  await configure({
    ...BASE,
    achievements: [achievement('many', 1_000, counting)],
    leaderboards: [metricBoard('long', counting)],
  });
  await events;
  for (const user of USERS) expect(await achievementsOf(user)).toEqual({ many: 30 });
  const { rankings } = (await call('GET', '/v1/leaderboards/long?limit=100')).body;
  expect(rankings.map(({ value }: Json) => value)).toEqual(USERS.map(() => 30));
});

test('are filled for a trigger, which gives no points for the past, and not a second time', async () => {
  const counting = { aggregate: 'count', where: LONG };
  const send = (): Promise<Json> => server.record('ann', 1, 'lessons', { attributes: { distance: 7 } });
  for (let n = 0; n < 3; n++) await send();
  const points = [xp([perLesson(10, { metricThreshold: 2, ...counting })])];
  const xpTotal = async (): Promise<number> => (await call('GET', '/v1/users/ann/points/xp')).body.total;
  await configure({ ...BASE, points });
  const [{ activated }] = (await admin('GET', '/activations')).body;
  expect(activated).toMatchObject([
    { kind: 'pointsTriggers', item: { name: null, systemId: expect.any(String) } },
  ]);
  expect(await xpTotal()).toBe(0);
  // The fourth of these events.
  await send();
  expect(await xpTotal()).toBe(10);
  await configure({ ...BASE, points, achievements: [achievement('first', 4, counting)] });
  expect(await achievementsOf('ann')).toEqual({ first: 'completed' });
  expect(await xpTotal()).toBe(10);
  // The total of the metric is known: nobody is read for a trigger that counts it.
  const before = (await admin('GET', '/activations')).body.length;
  await configure({ ...BASE, points: [xp([perLesson(1)])] });
  expect((await admin('GET', '/activations')).body).toHaveLength(before);
});

test('keep what they have if events have been dropped', async () => {
  const counting = { aggregate: 'count', where: LONG };
  const send = (user: string): Promise<Json> =>
    server.record({ id: user }, 1, 'lessons', { attributes: { distance: 7 } });
  await configure({ ...BASE, achievements: [achievement('first', 10, counting)] });
  await send('ann');
  await send('ann');
  const retired = { ...achievement('first', 10, counting), status: 'inactive' };
  await configure({ ...BASE, achievements: [retired] });
  await send('ann');
  await send('bo');
  await writeKeptMonths(server.pool, 'events', 12);
  await configure({ ...BASE, achievements: [retired, achievement('second', 10, counting)] });
  expect(await achievementsOf('ann')).toEqual({ second: 2 });
  expect(await achievementsOf('bo')).toEqual({ second: 1 });
  await writeKeptMonths(server.pool, 'events', null);
});
