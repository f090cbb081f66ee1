import { expect, test } from 'vitest';
import { item } from '../support/items.ts';
import type { Json } from '../support/reading.ts';
import { useServer } from '../support/useServer.ts';

/** A condition is tried on the latest events of a metric before it is saved. */

const ATTRIBUTES = {
  event: [item('distance', { valueType: 'number' }), item('kind')],
  user: [item('plan')],
};
const LATE = { localTime: { from: '21:00', to: '23:00' } };
const PRO = { user: { attribute: 'plan', eq: 'pro' } };
const CONFIG = { attributes: ATTRIBUTES, metrics: [item('runs'), item('asked'), item('other')] };

const server = useServer({ config: CONFIG, now: '2027-03-01T20:30:00.000Z', relay: true, tenantEach: true });
const { admin } = server;

const idsOf = async (path: string): Promise<Record<string, string>> =>
  Object.fromEntries((await admin('GET', path)).body.map(({ key, id }: Json) => [key, id]));
const match = async (metric: string, where: Json, more: Json = {}) =>
  admin('POST', '/metrics/match', { metricId: (await idsOf('/metrics'))[metric], where, ...more });
const record = (user: Json, value: number, attributes: Json = {}, metric = 'runs') =>
  server.record(user, value, metric, { attributes });

test('says how many of the last hundred events count, and shows the latest', async () => {
  for (let n = 1; n <= 6; n++) {
    for (let user = 0; user < 20; user++)
      await record({ id: `user-${user}`, name: `User ${user}` }, n, { distance: n });
  }
  await record({ id: 'user-1' }, 9, {}, 'other');
  // The first twenty, of value 1, are no longer among the last hundred.
  const { status, body } = await match('runs', {
    any: [{ attribute: 'distance', lte: 2 }, { value: { gt: 5 } }],
  });
  expect([status, body]).toMatchObject([200, { events: 100, matching: 40 }]);
  const shown = (matches: boolean) => body.examples.filter((one: Json) => one.matches === matches);
  const six = { value: 6, attributes: { distance: '6' }, name: expect.stringMatching(/^User \d+$/) };
  expect(shown(true)).toMatchObject([six, six, six]);
  expect(shown(false).map(({ value }: Json) => value)).toEqual([5, 5, 5]);
});

test('knows filters by texts, undone events, and a metric without events', async () => {
  const [{ eventId }] = [await record({ id: 'ann' }, 1, { kind: 'trail' })];
  await record({ id: 'ann' }, 2, { kind: 'trail' });
  await record({ id: 'ann' }, 3, { kind: 'road' });
  const { kind } = await idsOf('/attributes');
  const eventAttributes = [{ attributeId: kind, attributeValue: 'trail' }];
  const everything = { value: { gte: 0 } };
  expect((await match('runs', everything, { eventAttributes })).body).toMatchObject({
    events: 3,
    matching: 2,
  });
  await server.relayed();
  await admin('POST', `/users/ann/events/${eventId}/undo`, { reason: 'A test' });
  expect((await match('runs', everything, { eventAttributes })).body).toMatchObject({
    events: 2,
    matching: 1,
  });
  expect((await match('other', everything)).body).toEqual({ events: 0, matching: 0, examples: [] });
});

test('takes clock and attributes of a user as they were if the history has them, else as they are', async () => {
  const users = (plan: string, tz: string): Json => ({ id: 'ann', tz, attributes: { plan } });
  const config = {
    ...CONFIG,
    achievements: [
      { ...item('late'), trigger: 'metric', metric: 'asked', metricValue: 100, where: { all: [LATE, PRO] } },
    ],
  };
  expect((await admin('PUT', '/config', config)).status).toBe(200);
  for (const metric of ['asked', 'runs']) await record(users('pro', 'Europe/Berlin'), 1, {}, metric);
  for (const metric of ['asked', 'runs']) await record(users('free', 'UTC'), 1, {}, metric);
  const matching = async (metric: string, where: Json) => (await match(metric, where)).body.matching;
  // In Berlin it was 21:30.
  expect([await matching('asked', LATE), await matching('asked', PRO)]).toEqual([1, 1]);
  expect([await matching('runs', LATE), await matching('runs', PRO)]).toEqual([0, 0]);
});

test.each([
  [{ attribute: 'distanc', gte: 1 }, /where.*distanc/],
  [{ attribute: 'distance', gte: 'far' }, /where.*number/],
  [{ all: Array.from({ length: 21 }, () => ({ value: { gte: 1 } })) }, /20 parts/],
  [{ value: {} }, /where\.value/],
])('refuses the condition %j', async (where, error) => {
  const { status, body } = await match('runs', where);
  expect([status, body.error]).toEqual([422, expect.stringMatching(error)]);
});

test('refuses an unknown metric', async () => {
  const metricId = '0199d2a5-7c1e-7000-8000-000000000001';
  const reply = await admin('POST', '/metrics/match', { metricId, where: { value: { gte: 1 } } });
  expect([reply.status, reply.body.error]).toEqual([404, expect.stringContaining(metricId)]);
});
