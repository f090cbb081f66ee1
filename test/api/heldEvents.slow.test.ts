import { beforeAll, describe, expect, test } from 'vitest';
import { cellOf } from '../../src/base/cells.ts';
import { HELD_EVENTS_DECIDED_MAX } from '../../src/base/guardLimits.ts';
import { createLog } from '../../src/base/log.ts';
import { Metrics } from '../../src/base/metrics.ts';
import { DEFAULT_TENANT } from '../../src/db/configuration/loadConfig.ts';
import { readCells } from '../../src/db/installation.ts';
import type { Pool } from '../../src/db/pool.ts';
import { History } from '../../src/engine/availability/historyReads.ts';
import { createEngine } from '../../src/engine/engine.ts';
import { Approvals, finishApprovals } from '../../src/engine/heldEvents/approvals.ts';
import { keepKeys } from '../../src/engine/usedKeys/keepKeys.ts';
import { Scripts } from '../../src/redis/scripts/scripts.ts';
import { readKeyLedger } from '../../src/redis/usedKeys/keyLedger.ts';
import { expireOldHeldEvents } from '../../workers/jobs/scheduleTable.ts';
import { DAILY, items, metricBoard } from '../support/items.ts';
import type { Json } from '../support/reading.ts';
import { useRecorder } from '../support/recorder.ts';
import type { Reply } from '../support/server.ts';
import { useServer } from '../support/useServer.ts';

/** Events that guards hold for a review. Each test has users, and a metric of its own where it lists events. */

const guards = (more: object) => ({ ...more, action: 'hold' as const });
const KEYS = [
  'lessons',
  'lists',
  'once',
  'changed',
  'limited',
  'batch',
  'repeated',
  'decided',
  'final',
  'own',
  'past',
  'erased',
  'expired',
  'blocked',
  'counted',
  'flood',
  'many',
  'summed',
];
const UNKNOWN_ID = '0199d2a5-7c1e-7000-8000-000000000001';
const CONFIG = {
  attributes: { event: items('kind') },
  metrics: KEYS.map((key) => ({
    key,
    name: key,
    guards: guards(key === 'limited' ? { cooldownSeconds: 60 } : { maxValue: 10 }),
  })),
  streak: { enabled: true, metrics: [{ key: 'own', threshold: 1 }] },
  leaderboards: [metricBoard('daily', { metric: 'final', ...DAILY })],
};

const silent = createLog('test', 'silent');
const server = useServer({ config: CONFIG, now: '2031-03-01T12:00:00.000Z', relay: true });
const { admin, moveTo, call } = server;

/** One run of the schedule that finishes approvals. */
let work: () => Promise<void>;
const send = (metric: string, id: string, value = 20, more: object = {}): Promise<Reply> =>
  call('POST', `/v1/metrics/${metric}/event`, { user: { id }, value, ...more });
const hold = async (metric: string, id: string, value = 20, more: object = {}): Promise<string> => {
  const { status, body } = await send(metric, id, value, more);
  expect([status, body]).toEqual([
    202,
    { held: true, eventId: expect.any(String), metricId: expect.any(String) },
  ]);
  return body.eventId;
};
const decide = async (verb: 'approve' | 'reject', ...ids: string[]): Promise<Json[]> => {
  const { status, body } = await admin('POST', `/held-events/${verb}`, { ids, reason: 'A test' });
  expect([status, body.error]).toEqual([200, undefined]);
  return body.events;
};
const list = async (query: string): Promise<Json> => (await admin('GET', `/held-events?${query}`)).body;
const total = async (id: string, metric: string): Promise<number | undefined> =>
  (await call('GET', `/v1/users/${id}/metrics/${metric}`)).body.current;
const on = (hours: number): string => new Date(server.clock.now() + hours * 3_600_000).toISOString();

const cells = async () => (await readCells(server.pool))!;

/** What a worker does with idempotency keys that Redis has had for a day. */
async function forgetKeys(): Promise<void> {
  const { pool, redis } = server;
  const scripts = new Scripts(redis, await cells());
  const withUnlimitedPool = <T>(run: (pool: Pool) => Promise<T>): Promise<T> => run(pool);
  const deps = {
    pool,
    redis,
    cells: await cells(),
    scripts,
    clock: server.clock,
    log: silent,
    withUnlimitedPool,
  };
  await keepKeys({ ...deps, hotDays: 1 });
}

/** The part of a worker that finishes approvals. */
async function startApprovals(): Promise<() => Promise<void>> {
  const { pool, redis } = server;
  const { clock } = server;
  const cells = (await readCells(pool))!;
  const history = new History({ pool, redis, cells, waitMsMax: 10_000 });
  const engine = createEngine({ redis, clock, cells, history });
  const metrics = new Metrics();
  const approvals = new Approvals({ pool, clock, lateEvents: engine.lateEvents, history, metrics });
  const { signal } = new AbortController();
  return () => finishApprovals({ pool, ...engine, approvals, log: silent }, clock.now(), signal);
}

beforeAll(async () => {
  work = await startApprovals();
});

describe('in Redis, a held event', () => {
  const { start, at: setClock, record, recorded, stored } = useRecorder();
  const config = { metrics: [{ key: 'lessons', name: 'Lessons', guards: guards({ cooldownSeconds: 60 }) }] };

  test('changes nothing, and its key names it from then on', async () => {
    await start(config);
    setClock('2026-11-18T12:00:00Z');
    await recorded('ann');
    const before = await stored();
    const held = { status: 'held', guard: 'cooldownSeconds', usedAt: null };
    expect(await record({ id: 'ann', name: 'Ann' })).toEqual(held);
    expect(await stored()).toEqual(before);
    expect(await record('ann', 1, 'key')).toEqual(held);
    setClock('2026-11-18T12:02:00Z');
    expect(await record('ann', 1, 'key')).toEqual({ ...held, guard: null });
    await recorded('ann', 1, 'other');
    expect(await record('ann', 1, 'other')).toMatchObject({ status: 'replayed' });
  });
});

describe('a held event', () => {
  test('counts once it is approved, with its id, and no guard applies to it', async () => {
    const id = await hold('lessons', 'ann', 20, { attributes: { kind: 'quiz' } });
    expect((await call('GET', '/v1/users/ann')).status).toBe(404);
    expect(await decide('approve', id)).toEqual([{ id, status: 'approved' }]);
    expect(await total('ann', 'lessons')).toBe(20);
    const { items } = (await admin('GET', '/users/ann/timeline?kinds=event,admin')).body;
    expect(items).toMatchObject([
      { kind: 'admin', subject: 'heldEvents', after: { status: 'approved', reason: 'A test' } },
      { kind: 'event', eventId: id, value: 20, attributes: { kind: 'quiz' } },
    ]);
    expect((await admin('GET', '/audit?userId=ann')).body).toHaveLength(1);
  });

  test('that is approved under a window adds no keys that never run out', async () => {
    const readLedger = async () =>
      (await readKeyLedger(server.redis, DEFAULT_TENANT, cellOf(DEFAULT_TENANT, 'window-a', await cells())))!;
    const forever = async () => (await readLedger()).slices.filter(({ windowMs }) => windowMs === 0);
    const setWindow = (idempotencyWindowSeconds: number | null) =>
      admin('PATCH', '/settings', { idempotencyWindowSeconds });
    await decide('approve', await hold('decided', 'window-a', 20));
    const before = await forever();
    expect((await setWindow(120)).status).toBe(200);
    for (let n = 0; n < 3; n++) {
      await moveTo(on(1));
      await decide('approve', await hold('decided', 'window-a', 20));
    }
    expect(await forever()).toEqual(before);
    expect(await total('window-a', 'decided')).toBe(80);
    await setWindow(null);
  });

  test('is listed by user, metric, guard and instant, page by page', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 3; i++) {
      ids.push(await hold('lists', `lists-${i % 2}`, 20 + i));
      await moveTo(on(1));
    }
    const idsOf = ({ events }: Json): string[] => events.map(({ id }: Json) => id);
    expect(idsOf(await list('metric=lists'))).toEqual(ids.toReversed());
    expect(idsOf(await list('metric=lists&user=lists-0'))).toEqual([ids[2], ids[0]]);
    expect(idsOf(await list('metric=lists&guard=limits'))).toEqual([]);
    expect(idsOf(await list(`metric=lists&since=${on(-2.5)}`))).toEqual([ids[2], ids[1]]);
    const first = await list('metric=lists&limit=2');
    expect(first.waiting).toBeGreaterThanOrEqual(3);
    const second = await list(`metric=lists&limit=2&cursor=${first.cursor}`);
    expect([...idsOf(first), ...idsOf(second)]).toEqual(ids.toReversed());
    expect(second.cursor).toBeNull();
    expect(first.events[0]).toMatchObject({
      userId: 'lists-0',
      metric: 'lists',
      value: 22,
      guard: 'maxValue',
    });
    expect((await admin('GET', '/held-events?metric=unknown')).status).toBe(404);
    await decide('reject', ...ids);
  });

  test('with a key is held once, and answered as before', async () => {
    const id = await hold('once', 'once-a', 20, { idempotencyKey: 'first' });
    expect(await hold('once', 'once-a', 20, { idempotencyKey: 'first' })).toBe(id);
    expect((await list('metric=once')).events).toHaveLength(1);
    await decide('approve', id);
    expect(await hold('once', 'once-a', 20, { idempotencyKey: 'first' })).toBe(id);
    expect(await total('once-a', 'once')).toBe(20);
    const rejected = await hold('once', 'once-a', 20, { idempotencyKey: 'second' });
    await decide('reject', rejected);
    expect(await hold('once', 'once-a', 20, { idempotencyKey: 'second' })).toBe(rejected);
    expect((await list('metric=once')).events).toEqual([]);
  });

  test('keeps its key, whatever the guards say later', async () => {
    const key = 'kept';
    const setGuards = async (later: object | null): Promise<void> => {
      const metrics = [{ key: 'changed', name: 'changed', guards: later }];
      expect((await admin('PUT', '/config', { metrics })).status).toBe(200);
    };
    const ids = [
      await hold('changed', 'changed-a', 50, { idempotencyKey: key }),
      await hold('changed', 'changed-b', 50, { idempotencyKey: key }),
      await hold('changed', 'changed-c', 50, { idempotencyKey: key }),
    ];
    await decide('approve', ids[0]!);
    await decide('reject', ids[2]!);
    for (const later of [{ maxValue: 100, action: 'refuse' }, { maxValue: 5, action: 'refuse' }, null]) {
      await setGuards(later);
      for (const [i, id] of ids.entries()) {
        const user = `changed-${'abc'[i]}`;
        expect(await hold('changed', user, 50, { idempotencyKey: key })).toBe(id);
        expect(await hold('changed', user, 50, { idempotencyKey: key, timestamp: on(-1) })).toBe(id);
      }
    }
    await decide('approve', ids[1]!);
    expect(await hold('changed', 'changed-b', 50, { idempotencyKey: key })).toBe(ids[1]);
    const totals = await Promise.all(['a', 'b'].map((user) => total(`changed-${user}`, 'changed')));
    expect(totals).toEqual([50, 50]);
  });

  test('with a key is stored by its repetition if the first answer never came', async () => {
    const id = await hold('once', 'lost', 20, { idempotencyKey: 'lost' });
    await server.pool.query('delete from held_events where event_id = $1', [id]);
    expect(await hold('once', 'lost', 20, { idempotencyKey: 'lost' })).toBe(id);
    expect((await list('user=lost')).events).toMatchObject([{ id, guard: null }]);
    await decide('reject', id);
  });

  test('that is approved twice by two administrators at once counts once', async () => {
    const ids = [await hold('decided', 'two-a', 20), await hold('decided', 'two-a', 30)];
    const answers = await Promise.all(Array.from({ length: 6 }, () => decide('approve', ...ids)));
    for (const answer of answers) expect(answer).toEqual(ids.map((id) => ({ id, status: 'approved' })));
    expect(await total('two-a', 'decided')).toBe(50);
    expect((await admin('GET', '/audit?userId=two-a')).body).toHaveLength(2);
  });

  test('that was recorded before the process died is not recorded again', async () => {
    const id = await hold('decided', 'died-a', 20);
    await decide('approve', id);
    await server.pool.query(`update held_events set status = 'approving' where event_id = $1`, [id]);
    expect(await decide('approve', id)).toEqual([{ id, status: 'approved' }]);
    expect(await total('died-a', 'decided')).toBe(20);
  });

  test('that is being approved is finished by a worker, and not rejected meanwhile', async () => {
    const id = await hold('decided', 'begun-a', 20);
    await server.pool.query(
      `update held_events set status = 'approving', decided_at = $2, reason = 'A test', actor = 'admin'
       where event_id = $1`,
      [id, new Date(server.clock.now())],
    );
    expect(await decide('reject', id)).toEqual([
      { id, status: 'approving', error: 'The event is being approved' },
    ]);
    expect((await list('status=approving')).events).toMatchObject([{ id, reason: 'A test' }]);
    await work();
    expect(await total('begun-a', 'decided')).toBeUndefined();
    await moveTo(on(0.1));
    await work();
    expect(await total('begun-a', 'decided')).toBe(20);
    expect((await admin('GET', '/audit?userId=begun-a')).body).toMatchObject([{ actor: 'admin' }]);
    expect(await decide('approve', id)).toEqual([{ id, status: 'approved' }]);
  });

  test('is summed up with others in decimals', async () => {
    for (const value of [10.1, 10.2]) await hold('summed', 'summed-a', value);
    const { body } = await admin('GET', '/held-events/summary?metric=summed');
    expect(body.metrics).toEqual([{ metric: 'summed', events: 2, sum: 20.3, lowest: 10.1, highest: 10.2 }]);
  });

  test('is decided on with all others that match, page by page, and those of blocked users stay', async () => {
    const filter = { metric: 'many', maxValue: 149 };
    const count = HELD_EVENTS_DECIDED_MAX + 30;
    for (let i = 0; i < count; i++) await hold('many', `many-${i % 10}`, 20 + i);
    expect((await call('PUT', '/v1/users/many-0', {})).status).toBeLessThan(300);
    expect((await admin('POST', '/users/many-0/block', { reason: 'A test' })).status).toBe(200);
    const summary = (await admin('GET', '/held-events/summary?metric=many&maxValue=149')).body;
    expect(summary).toMatchObject({
      events: count,
      users: 10,
      metrics: [{ metric: 'many', events: count, lowest: 20, highest: 149 }],
    });
    await hold('many', 'many-1', 150);
    const decideNext = (cursor?: string) =>
      admin('POST', '/held-events/approve', {
        filter: { ...filter, until: summary.until },
        ...(cursor && { cursor }),
        reason: 'All of them',
      });
    const first = (await decideNext()).body;
    const second = (await decideNext(first.cursor)).body;
    expect([first.events.length, second.events.length, second.cursor]).toEqual([
      HELD_EVENTS_DECIDED_MAX,
      30,
      null,
    ]);
    const statuses = [...first.events, ...second.events].map(({ status }: Json) => status);
    expect(statuses.filter((status) => status === 'held')).toHaveLength(count / 10);
    expect(statuses.filter((status) => status === 'approved')).toHaveLength(count - count / 10);
    expect((await list('metric=many&limit=100')).events.map(({ value }: Json) => value)).toContain(150);
    expect(await total('many-0', 'many')).toBe(0);
    expect(await total('many-9', 'many')).toBe(
      Array.from({ length: count / 10 }, (_, i) => 29 + 10 * i).reduce((sum, value) => sum + value, 0),
    );
  });

  test.each(['', 'x', '1e999', '0x1', '1,5', ' 1'])('a value of %j in a query is refused', async (value) => {
    const { status, body } = await admin('GET', `/held-events?minValue=${encodeURIComponent(value)}`);
    expect([status, body.error]).toEqual([422, 'minValue must be a number']);
  });

  test.each([
    [{}, 'either ids or filter must be given'],
    [{ ids: [UNKNOWN_ID], filter: { user: 'ann' } }, 'either ids or filter must be given'],
    [{ filter: {} }, 'filter must have at least 1 entry'],
    [{ filter: { user: 'ann' }, cursor: 'x' }, 'cursor must be the cursor of the page before'],
    [{ ids: [UNKNOWN_ID], cursor: 'x' }, 'cursor must be given with filter, not with ids'],
    [{ filter: { usr: 'ann' } }, 'filter.usr is not known'],
    [{ filter: { minValue: '2' } }, 'filter.minValue must be a number'],
  ])('is not found by %j', async (which, message) => {
    const { status, body } = await admin('POST', '/held-events/reject', { ...which, reason: 'A test' });
    expect([status, body.error]).toEqual([422, expect.stringContaining(message)]);
  });

  test('that is rejected cannot be approved, nor the other way round', async () => {
    const [one, two] = [await hold('decided', 'other-a'), await hold('decided', 'other-a')];
    await decide('reject', one);
    await decide('approve', two);
    expect(await decide('approve', one)).toEqual([
      { id: one, status: 'rejected', error: 'The event is rejected' },
    ]);
    expect(await decide('reject', one, two)).toEqual([
      { id: one, status: 'rejected' },
      { id: two, status: 'approved', error: 'The event is approved' },
    ]);
    const unknown = crypto.randomUUID();
    expect(await decide('approve', unknown)).toEqual([
      { id: unknown, status: null, error: `No event ${unknown} is held` },
    ]);
    expect(await total('other-a', 'decided')).toBe(20);
  });

  test('does not count towards limits, and an approved one neither', async () => {
    expect((await send('limited', 'limited-a', 1)).status).toBe(201);
    const id = await hold('limited', 'limited-a', 1);
    await moveTo(on(1));
    await decide('approve', id);
    expect((await send('limited', 'limited-a', 1)).status).toBe(201);
    expect(await total('limited-a', 'limited')).toBe(3);
  });

  test('keeps its key when Redis has forgotten it', async () => {
    expect((await send('limited', 'cold-a', 1)).status).toBe(201);
    const id = await hold('limited', 'cold-a', 1, { idempotencyKey: 'cold' });
    const open = await hold('limited', 'cold-a', 1, { idempotencyKey: 'open' });
    await decide('approve', id);
    await moveTo(on(3 * 24));
    await forgetKeys();
    expect(await hold('limited', 'cold-a', 1, { idempotencyKey: 'cold' })).toBe(id);
    expect(await hold('limited', 'cold-a', 1, { idempotencyKey: 'open' })).toBe(open);
    const late = { idempotencyKey: 'open', timestamp: on(-1) };
    expect(await hold('limited', 'cold-a', 1, late)).toBe(open);
    expect((await send('limited', 'cold-a', 1, { idempotencyKey: 'new' })).status).toBe(201);
    expect(await total('cold-a', 'limited')).toBe(3);
    await decide('reject', open);
  });

  test('of a batch is named by its index', async () => {
    const events = [1, 20, 2].map((value) => ({ key: 'batch', user: { id: 'batch-a' }, value }));
    const { body } = await call('POST', '/admin/v1/metrics/events?results=true', events);
    const held = { index: 1, eventId: expect.any(String) };
    expect(body).toMatchObject({ accepted: 2, refused: [], held: [held] });
    expect(body.results[1]).toEqual({ status: 202, held: true, eventId: body.held[0].eventId });
    await decide('reject', body.held[0].eventId);
  });

  test('is the first of a batch with its key', async () => {
    const users = Array.from({ length: 40 }, (_, i) => `repeated-${i}`);
    const events = users.flatMap((id) =>
      [20, 30].map((value) => ({ key: 'repeated', user: { id }, value, idempotencyKey: 'same' })),
    );
    expect((await call('POST', '/admin/v1/metrics/events', events)).body.held).toHaveLength(80);
    const { body } = await admin('GET', '/held-events?metric=repeated&limit=100');
    const ofEach = body.events.map(({ value, guard }: Json) => [value, guard]);
    expect(ofEach).toEqual(users.map(() => [20, 'maxValue']));
    for (const { id } of body.events) await decide('reject', id);
  });

  test('that is approved after the run of a leaderboard is final leaves the run as it is', async () => {
    await moveTo(`${on(24).slice(0, 10)}T12:00:00.000Z`);
    const day = on(0).slice(0, 10);
    expect((await send('final', 'final-a', 5)).status).toBe(201);
    const id = await hold('final', 'final-a', 20);
    await moveTo(on(48));
    const ranking = async (query: string): Promise<Json> =>
      (await call('GET', `/v1/leaderboards/daily${query}`)).body.rankings;
    const before = await ranking(`?run=${day}`);
    expect(before).toMatchObject([{ userId: 'final-a', value: 5 }]);
    await decide('approve', id);
    expect(await ranking(`?run=${day}`)).toEqual(before);
    expect(await ranking('')).toEqual([]);
    expect(await total('final-a', 'final')).toBe(25);
  });

  test('counts on its own day, however old it is', async () => {
    await moveTo(`${on(24).slice(0, 10)}T12:00:00.000Z`);
    const [from, before] = [on(0).slice(0, 10), on(0)];
    await send('own', 'own-a', 1);
    const id = await hold('own', 'own-a', 20);
    await moveTo(on(24));
    await send('own', 'own-a', 1);
    await moveTo(on(20 * 24));
    expect((await call('GET', '/v1/users/own-a/streak')).body.length).toBe(0);
    await decide('approve', id);
    const query = `aggregation=daily&startDate=${from}&endDate=${on(0).slice(0, 10)}`;
    const days = await call('GET', `/v1/users/own-a/metrics/own/event-summary?${query}`);
    expect(days.body.slice(0, 3)).toMatchObject([{ change: 21 }, { change: 1 }, { change: 0 }]);
    const { items } = (await admin('GET', '/users/own-a/timeline?kinds=event')).body;
    expect(items).toMatchObject([{ value: 1 }, { eventId: id, at: before }, { value: 1 }]);
  });

  test('of the past is held, and approved with its timestamp', async () => {
    const timestamp = on(-5);
    const id = await hold('past', 'past-a', 20, { timestamp, idempotencyKey: 'past' });
    expect(await hold('past', 'past-a', 20, { timestamp, idempotencyKey: 'past' })).toBe(id);
    expect((await list('metric=past')).events).toMatchObject([{ id, timestamp, guard: 'maxValue' }]);
    await moveTo(on(72));
    expect((await send('past', 'past-a', 2, { timestamp })).status).toBe(422);
    await decide('approve', id);
    const { items } = (await admin('GET', '/users/past-a/timeline?kinds=event')).body;
    expect(items).toMatchObject([{ eventId: id, value: 20, at: timestamp }]);
    expect(await hold('past', 'past-a', 20, { timestamp: on(-1), idempotencyKey: 'past' })).toBe(id);
  });

  test('is approved, although the user has used its id as a key', async () => {
    const id = await hold('decided', 'own-key-a', 20);
    await send('decided', 'own-key-a', 1, { idempotencyKey: `approval of ${id}` });
    await send('decided', 'own-key-a', 1, { idempotencyKey: id });
    await decide('approve', id);
    expect(await total('own-key-a', 'decided')).toBe(22);
  });

  test('of an erased user is gone, with its key', async () => {
    await send('erased', 'erased-a', 1);
    const id = await hold('erased', 'erased-a', 20, { idempotencyKey: 'key' });
    const { records } = (await admin('GET', '/users/erased-a/export')).body;
    expect(records.held_events).toMatchObject([{ event_id: id, status: 'held' }]);
    expect((await admin('DELETE', '/users/erased-a')).status).toBe(200);
    expect(await decide('approve', id)).toMatchObject([{ status: null }]);
    expect((await send('erased', 'erased-a', 3, { idempotencyKey: 'key' })).status).toBe(201);
    expect(await total('erased-a', 'erased')).toBe(3);
  });

  test('of an id that has no user is exported, shown with its decision, and erased', async () => {
    const id = await hold('erased', 'never-a', 20, { idempotencyKey: 'key' });
    const rejected = await hold('erased', 'never-a', 30);
    expect((await admin('GET', '/users/never-a/timeline')).status).toBe(404);
    await decide('reject', rejected);
    const { body } = await admin('GET', '/users/never-a/timeline');
    expect(body.items).toMatchObject([{ kind: 'admin', subject: 'heldEvents' }]);
    const exported = (await admin('GET', '/users/never-a/export')).body;
    expect(exported).toMatchObject({ user: null, state: null });
    const ids = exported.records.held_events.map((row: Json) => row.event_id);
    expect(ids.toSorted()).toEqual([id, rejected].toSorted());
    expect((await admin('DELETE', '/users/never-a')).body).toEqual({ id: 'never-a', status: 'erased' });
    for (const path of ['/export', '/timeline'])
      expect((await admin('GET', `/users/never-a${path}`)).status).toBe(404);
    expect((await admin('DELETE', '/users/never-a')).status).toBe(404);
    expect(await decide('approve', id)).toMatchObject([{ status: null }]);
    expect((await send('erased', 'never-a', 3, { idempotencyKey: 'key' })).status).toBe(201);
    expect(await total('never-a', 'erased')).toBe(3);
  });

  test('of a user who was blocked meanwhile stays held', async () => {
    await send('blocked', 'blocked-a', 1);
    const id = await hold('blocked', 'blocked-a', 20);
    await admin('POST', '/users/blocked-a/block', { reason: 'A bot' });
    expect(await decide('approve', id)).toEqual([{ id, status: 'held', error: 'User blocked-a is blocked' }]);
    expect(await total('blocked-a', 'blocked')).toBe(1);
    await admin('DELETE', '/users/blocked-a/block');
    expect(await decide('approve', id)).toEqual([{ id, status: 'approved' }]);
    expect(await total('blocked-a', 'blocked')).toBe(21);
  });

  test('expires after the days that are set, and cannot be approved then', async () => {
    const id = await hold('expired', 'expired-a', 20);
    const { pool, clock } = server;
    const expire = () => expireOldHeldEvents({ pool, clock, log: silent, heldEventsDays: 30 });
    await moveTo(on(30 * 24 - 1));
    await expire();
    expect((await list('metric=expired')).events).toMatchObject([{ id }]);
    await moveTo(on(2));
    await expire();
    expect((await list('metric=expired')).events).toEqual([]);
    expect(await decide('approve', id)).toEqual([{ id, status: 'expired', error: 'The event is expired' }]);
  });

  test('is refused once too many of the user wait, and no event of others is', async () => {
    const flood = Array.from({ length: 1_000 }, (_, i) => ({
      key: 'flood',
      user: { id: i < 150 ? 'flood-a' : `flood-${i}` },
      value: 20,
    }));
    const { body } = await call('POST', '/admin/v1/metrics/events', flood);
    expect(body.refused).toHaveLength(50);
    expect(body.held).toHaveLength(950);
    for (const refused of body.refused) {
      expect(refused).toMatchObject({ status: 422, code: 'guard', guard: 'maxValue' });
      expect(refused.index).toBeLessThan(150);
    }
    const { status, body: single } = await send('flood', 'flood-a', 20, { idempotencyKey: 'key' });
    expect([status, single]).toEqual([
      422,
      {
        error: expect.stringContaining('too many events of the user wait for a review'),
        code: 'guard',
        guard: 'maxValue',
      },
    ]);
    expect((await send('flood', 'flood-a', 20, { idempotencyKey: 'key' })).status).toBe(422);
    expect((await send('flood', 'flood-a', 1)).status).toBe(201);
    await decide('reject', body.held[0].eventId);
    const id = await hold('flood', 'flood-a', 20, { idempotencyKey: 'key' });
    expect(await hold('flood', 'flood-a', 20, { idempotencyKey: 'key' })).toBe(id);
    expect((await send('flood', 'flood-a', 20)).status).toBe(422);
    await server.pool.query(`delete from held_events where user_id like 'flood-%'`);
  });

  test('is counted by metric and guard in /metrics', async () => {
    await hold('counted', 'counted-a');
    const { body } = await call('GET', '/metrics');
    const line = 'laurel_guarded_events_total{metric="counted",guard="maxValue",action="hold"} 1';
    expect(body.split('\n').filter((text: string) => text.includes('"counted"'))).toEqual([line]);
  });
});

test('a decision needs ids and a reason', async () => {
  expect((await admin('POST', '/held-events/approve', { ids: [], reason: 'A test' })).status).toBe(422);
  expect((await admin('POST', '/held-events/reject', { ids: [crypto.randomUUID()] })).status).toBe(422);
});
