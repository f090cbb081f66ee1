import { describe, expect, test } from 'vitest';
import { ATTRIBUTES, CONFIG, withoutIds } from '../support/metricsEvents.ts';
import type { Json } from '../support/reading.ts';
import { DAY_MS } from '../support/testTime.ts';
import { useServer } from '../support/useServer.ts';

/** One event that counts for several metrics. */

const server = useServer({ config: CONFIG, relay: true });
const { call } = server;

const send = (id: string, metrics: object, more: object = {}, query = '') =>
  call('POST', `/v1/events${query}`, { user: { id, tz: 'Europe/Berlin' }, metrics, ...more });
const sendOne = (id: string, metric: string, value: number, more: object = {}) =>
  call('POST', `/v1/metrics/${metric}/event`, { user: { id, tz: 'Europe/Berlin' }, value, ...more });
const RUN = { runs: 1, minutes: 55, km: 10 };
/** In the order of the configuration. */
const IN_ORDER = ['km', 'minutes', 'runs'] as const;

/** What a user has, as far as it does not name the user. */
const readUser = async (id: string): Promise<unknown> =>
  withoutIds(
    await Promise.all([
      server.get(`/v1/users/${id}/summary`),
      server.get(
        `/v1/users/${id}/metrics/km/event-summary?aggregation=daily&startDate=2026-11-10&endDate=2026-11-20`,
      ),
    ]),
  );

const isKnown = async (id: string): Promise<boolean> => (await call('GET', `/v1/users/${id}`)).status === 200;

describe.each([
  ['now', undefined],
  ['yesterday', -DAY_MS],
])('an event of %s', (when, ms) => {
  const more = () => ({
    attributes: ATTRIBUTES,
    ...(ms !== undefined && { timestamp: new Date(server.clock.now() + ms).toISOString() }),
  });

  test('equals an event for each metric, in the order of the configuration', async () => {
    const [together, apart] = [`together-${when}`, `apart-${when}`];
    for (let round = 0; round < 3; round++) {
      const { status, body } = await send(together, RUN, more());
      expect([status, Object.keys(body.metrics)]).toEqual([201, IN_ORDER]);
      for (const metric of IN_ORDER) {
        const alone = await sendOne(apart, metric, RUN[metric], more());
        const answer = body.metrics[metric];
        expect(withoutIds(answer), metric).toEqual(withoutIds(alone.body));
        expect(answer.eventId).not.toBe(alone.body.eventId);
      }
    }
    await server.relayed();
    expect(await readUser(together)).toEqual(await readUser(apart));
  });

  test('counts once under its key', async () => {
    const id = `once-${when}`;
    const key = { ...more(), idempotencyKey: 'run 1' };
    const first = await send(id, RUN, key);
    const again = await send(id, RUN, key);
    expect([first.status, again.status]).toEqual([201, 202]);
    expect(again.body).toMatchObject({ idempotencyKey: 'run 1', idempotentReplayed: true });
    for (const metric of IN_ORDER) {
      const { eventId, total } = first.body.metrics[metric];
      expect(again.body.metrics[metric]).toMatchObject({ eventId, total, achievements: [] });
    }
    // The key is that of the event of each metric, also alone.
    expect((await sendOne(id, 'km', 1, key)).status).toBe(202);
    const { status, body } = await send(id, { km: 1, steps: 1 }, key);
    expect([status, body]).toMatchObject([422, { code: 'keyTaken', error: expect.stringContaining('km') }]);
  });

  test.each([
    ['a guard refuses', { km: 5, minutes: 999 }, { code: 'guard', guard: 'maxValue', error: /minutes/ }],
    [
      'a guard would hold',
      { km: 5, steps: 99 },
      { code: 'guard', error: /steps.*only an event of one metric/ },
    ],
    ['an earlier guard would hold', { steps: 99, runs: 1 }, { code: 'guard', error: /steps/ }],
    ['cannot be paid for', { km: 1, swims: 1 }, { code: 'outOfPoints', error: /points in energy.*swims/ }],
  ])('changes nothing if one metric %s', async (name, metrics, { error, ...expected }) => {
    const id = `nobody-${when}-${name.replaceAll(' ', '-')}`;
    const { status, body } = await send(id, metrics, { ...more(), idempotencyKey: 'refused' });
    expect([status, body]).toMatchObject([422, { ...expected, error: expect.stringMatching(error) }]);
    expect(await isKnown(id)).toBe(false);
    // It has not used its key.
    expect((await send(id, { km: 5 }, { ...more(), idempotencyKey: 'refused' })).status).toBe(201);
    const before = await readUser(id);
    expect((await send(id, metrics, more())).status).toBe(422);
    expect(await readUser(id)).toEqual(before);
  });
});

test('a value is reduced for its metric alone', async () => {
  const { status, body } = await send('clamped', { km: 5000, runs: 1 });
  expect([status, body.metrics]).toMatchObject([
    201,
    { km: { total: 100, clampedFrom: 5000 }, runs: { total: 1 } },
  ]);
});

test('what an earlier metric earns pays for a later one', async () => {
  // Ten km give the energy that a swim takes.
  const { status, body } = await send('swimmer', { swims: 1, km: 10 });
  expect([status, body.metrics]).toMatchObject([
    201,
    { km: { points: { energy: { total: 10 } } }, swims: { points: { energy: { total: 0 } } } },
  ]);
});

test('invalid events are refused with what is wrong', async () => {
  const cases: [object, number, RegExp][] = [
    [{ km: 1, kmm: 1 }, 404, /Metric kmm does not exist.*km/],
    [{ km: 'ten' }, 422, /metrics\.km must be a number/],
    [{}, 422, /metrics must have at least 1 entry/],
    [
      Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`m${i}`, 1])),
      422,
      /metrics must not have more than 20 entries/,
    ],
  ];
  for (const [metrics, status, error] of cases) {
    const reply = await send('invalid', metrics);
    expect([reply.status, reply.body.error]).toEqual([status, expect.stringMatching(error)]);
  }
  expect((await send('invalid', RUN, { valeu: 1 }, '?strict=true')).body.error).toMatch(/valeu is not known/);
  expect(await isKnown('invalid')).toBe(false);
});

test('one metric is answered like several, and can be held', async () => {
  expect(await send('one', { km: 1 })).toMatchObject({
    status: 201,
    body: { metrics: { km: { total: 1 } } },
  });
  expect(await send('one', { steps: 99 })).toMatchObject({ status: 202, body: { held: true } });
});

test('a short answer has the ids and totals', async () => {
  const body = { user: { id: 'short' }, metrics: RUN, idempotencyKey: 'short' };
  const { body: answer } = await call('POST', '/v1/events', body, { Prefer: 'return=minimal' });
  const eventId = expect.any(String);
  expect(answer).toEqual({
    metrics: { km: { eventId, total: 10 }, minutes: { eventId, total: 55 }, runs: { eventId, total: 1 } },
  });
});

test('a batch takes them beside others, and counts their metrics', async () => {
  const user = { id: 'batch' };
  const items = [
    { key: 'km', user, value: 1 },
    { user, metrics: RUN, idempotencyKey: 'batch' },
    { user, metrics: { km: 1, minutes: 999 } },
    { user, metrics: RUN, idempotencyKey: 'batch' },
    { key: 'runs', user, value: 1 },
  ];
  const { status, body } = await call('POST', '/admin/v1/metrics/events?results=true', items);
  expect(status).toBe(202);
  expect(body).toMatchObject({ accepted: 4, refused: [{ index: 2, code: 'guard' }] });
  const totals = body.results.map(({ status: each, event, metrics }: Json) => [
    each,
    event?.total ?? metrics?.km.total,
  ]);
  expect(totals).toEqual([
    [201, 1],
    [201, 11],
    [422, undefined],
    [202, 11],
    [201, 2],
  ]);
  const many = Array.from({ length: 334 }, () => ({ user, metrics: RUN }));
  expect((await call('POST', '/admin/v1/metrics/events', many)).body.error).toMatch(/1000 metrics/);
  const faulty = await call('POST', '/admin/v1/metrics/events', [
    { user, metrics: { km: '1' } },
    { user, key: 'km' },
  ]);
  expect(faulty.body.error).toBe('[0].metrics.km must be a number; [1].value is required');
});

test('the event of one metric is undone alone', async () => {
  const { body } = await send('undone', RUN);
  await server.relayed();
  const path = `/admin/v1/users/undone/events/${body.metrics.km.eventId}/undo`;
  expect(await call('POST', path, { reason: 'GPS error' })).toMatchObject({
    status: 200,
    body: { total: 0 },
  });
  const totals = await Promise.all(
    IN_ORDER.map(async (metric) => (await server.get(`/v1/users/undone/metrics/${metric}`)).current),
  );
  expect(totals).toEqual([0, 55, 1]);
});

test('the stores agree', async () => {
  await server.relayed();
  await server.expectSameStores();
});
