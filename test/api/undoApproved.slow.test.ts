import { describe, expect, test } from 'vitest';
import { HELD_EVENTS_DECIDED_MAX } from '../../src/base/guardLimits.ts';
import { achievement, item, perLesson, xp } from '../support/items.ts';
import type { Json } from '../support/reading.ts';
import type { Reply } from '../support/server.ts';
import { useServer } from '../support/useServer.ts';

/** Approved events that are undone together. Each test has a tenant of its own. */

const UNKNOWN_ID = '0199d2a5-7c1e-7000-8000-000000000001';
const CONFIG = {
  metrics: [
    { key: 'lessons', name: 'Lessons', guards: { minValue: 1, maxValue: 10, action: 'hold' as const } },
    item('other', { guards: { maxValue: 10, action: 'hold' as const } }),
  ],
  achievements: [achievement('fifteen', 15)],
  points: [xp([perLesson(10)])],
};
const ALL = { points: true, achievements: true };

const server = useServer({ config: CONFIG, now: '2031-03-01T12:00:00.000Z', relay: true, tenantEach: true });
const { admin, call, moveTo } = server;
const hold = async (id: string, value = 20, metric = 'lessons'): Promise<string> => {
  const { status, body } = await call('POST', `/v1/metrics/${metric}/event`, { user: { id }, value });
  expect(status).toBe(202);
  return body.eventId;
};
const approve = async (request: object): Promise<Json> => {
  const { status, body } = await admin('POST', '/held-events/approve', { reason: 'A test', ...request });
  expect([status, body.error]).toEqual([200, undefined]);
  return body;
};
const undo = (request: object): Promise<Reply> =>
  admin('POST', '/held-events/undo', { reason: 'By mistake', ...request });
const undone = async (request: object): Promise<Json> => {
  const { status, body } = await undo(request);
  expect([status, body.error]).toEqual([200, undefined]);
  return body;
};
const summary = async (query: string): Promise<Json> =>
  (await admin('GET', `/held-events/summary?${query}`)).body;
const total = async (id: string): Promise<number> =>
  (await call('GET', `/v1/users/${id}/metrics/lessons`)).body.current;
const pointsOf = async (id: string): Promise<number> =>
  (await call('GET', `/v1/users/${id}/points/xp`)).body.total;
const statuses = async (status: string): Promise<string[]> =>
  (await admin('GET', `/held-events?status=${status}&limit=100`)).body.events.map(({ id }: Json) => id);

describe('approved events', () => {
  test('that match are undone page by page with what they gave, after a summary', async () => {
    const number = HELD_EVENTS_DECIDED_MAX + 5;
    for (let i = 0; i < number; i++) await hold(`user-${i % 5}`);
    const filter = { metric: 'lessons', until: (await summary('metric=lessons')).until };
    const { cursor } = await approve({ filter });
    await approve({ filter, cursor });
    await hold('user-0', 30);
    expect([await total('user-1'), await pointsOf('user-1')]).toEqual([420, 4_200]);
    const matching = await summary('status=approved&metric=lessons');
    expect(matching).toMatchObject({
      events: number,
      users: 5,
      metrics: [{ metric: 'lessons', events: number, sum: 20 * number, lowest: 20, highest: 20 }],
    });
    const first = await undone({ filter: { ...filter, until: matching.until }, ...ALL });
    expect(first.events).toHaveLength(HELD_EVENTS_DECIDED_MAX);
    const second = await undone({ filter, cursor: first.cursor, ...ALL });
    expect(second).toMatchObject({ events: Array(5).fill({ status: 'undone' }), cursor: null });
    expect([await total('user-1'), await pointsOf('user-1')]).toEqual([0, 0]);
    expect((await call('GET', '/v1/users/user-1/achievements')).body).toEqual([]);
    expect((await summary('status=approved')).events).toBe(0);
    expect((await summary('')).events).toBe(1);
    const { body: log } = await admin('GET', '/audit?kind=undoneEvents&limit=100');
    expect(log).toHaveLength(100);
    expect(log[0].after).toMatchObject({ reason: 'By mistake', value: 20, ...ALL });
  });

  test('are undone once, whatever is repeated and however many do it at once', async () => {
    const ids = [await hold('ann'), await hold('ann', 30), await hold('bob')];
    await approve({ ids });
    const answers = await Promise.all([undone({ ids }), undone({ ids }), undone({ ids })]);
    const all = { events: ids.map((id) => ({ id, status: 'undone' })) };
    expect(answers).toEqual([all, all, all]);
    expect(await undone({ ids, ...ALL })).toEqual(all);
    expect([await total('ann'), await total('bob'), await pointsOf('ann')]).toEqual([0, 0, 500]);
    expect((await admin('GET', '/audit?kind=undoneEvents')).body).toHaveLength(3);
    expect((await approve({ ids: [ids[0]] })).events).toEqual([
      { id: ids[0], status: 'undone', error: 'The event is undone' },
    ]);
    expect((await statuses('undone')).toSorted()).toEqual(ids.toSorted());
  });

  test('are undone as far as possible, and the others are named with the reason', async () => {
    const ids = [await hold('ann', -5), await hold('bob'), await hold('ann'), await hold('cy')];
    const [negative, ofBlocked, fine, rejected] = ids;
    await call('PUT', '/v1/users/bob', {});
    await hold('ann', 40, 'other');
    await approve({ ids: [fine, negative, ofBlocked] });
    await admin('POST', '/held-events/reject', { ids: [rejected], reason: 'A bot' });
    await admin('POST', '/users/bob/block', { reason: 'A bot' });
    const waiting = await hold('dee');
    const asked = [...ids, waiting, UNKNOWN_ID];
    expect((await undone({ ids: asked })).events).toEqual([
      { id: negative, status: 'approved', error: 'Only an event with a positive value can be undone' },
      { id: ofBlocked, status: 'approved', error: expect.stringContaining('is blocked') },
      { id: fine, status: 'undone' },
      { id: rejected, status: 'rejected', error: 'The event is rejected' },
      { id: waiting, status: 'held', error: 'The event is held' },
      { id: UNKNOWN_ID, status: null, error: `No event ${UNKNOWN_ID} is held` },
    ]);
    // A filter leaves out what no undo can change.
    expect(await summary('status=approved')).toMatchObject({ events: 1, users: 1 });
    expect((await undone({ filter: { metric: 'lessons' } })).events).toEqual([
      { id: ofBlocked, status: 'approved', error: expect.any(String) },
    ]);
  });

  test('are found by the time of the decision', async () => {
    const [early, late] = [await hold('ann'), await hold('ann', 30)];
    await approve({ ids: [early] });
    await moveTo('2031-03-01T13:00:00.000Z');
    await approve({ ids: [late] });
    const since = '2031-03-01T12:30:00.000Z';
    expect((await summary(`status=approved&decidedSince=${since}`)).metrics).toMatchObject([{ sum: 30 }]);
    expect((await summary(`status=approved&decidedUntil=${since}`)).metrics).toMatchObject([{ sum: 20 }]);
    const { events } = await undone({ filter: { decidedSince: since } });
    expect(events).toEqual([{ id: late, status: 'undone' }]);
    expect(await statuses('approved')).toEqual([early]);
  });

  test('that are undone one by one are listed as undone, too', async () => {
    const id = await hold('ann');
    await approve({ ids: [id] });
    const one = await admin('POST', `/users/ann/events/${id}/undo`, { reason: 'By mistake' });
    expect(one.body).toMatchObject({ undone: true, total: 0 });
    expect([await statuses('approved'), await statuses('undone')]).toEqual([[], [id]]);
    expect((await undone({ ids: [id] })).events).toEqual([{ id, status: 'undone' }]);
  });

  test.each([
    [{}, 'either ids or filter must be given'],
    [{ ids: [UNKNOWN_ID], achievements: true }, 'achievements requires points: true'],
    [{ ids: [UNKNOWN_ID], point: true }, 'point is not known'],
    [{ filter: {} }, 'filter must have at least 1 entry'],
  ])('are not undone by %j', async (request, message) => {
    const { status, body } = await undo(request);
    expect([status, body.error]).toEqual([422, expect.stringContaining(message)]);
  });
});
