import { beforeEach, describe, expect, test } from 'vitest';
import { newId } from '../../src/base/ids.ts';
import { readCells } from '../../src/db/installation.ts';
import { createEngine } from '../../src/engine/engine.ts';
import { readErasures } from '../../src/engine/users/erasures.ts';
import {
  achievement,
  DAILY,
  item,
  items,
  lessonStreak,
  metricBoard,
  perLesson,
  xp,
  xpBoard,
} from '../support/items.ts';
import type { Json } from '../support/reading.ts';
import type { Reply } from '../support/server.ts';
import { DAY_MS, dayFromStart } from '../support/testTime.ts';
import { useServer } from '../support/useServer.ts';

/** Events that an administrator undoes. */

const CONFIG = {
  attributes: { event: items('kind') },
  metrics: [{ key: 'lessons', name: 'Lessons', guards: { limits: [{ per: 'day', events: 3 }] } }],
  streak: lessonStreak(),
  achievements: [
    achievement('five', 5),
    achievement('nine', 9),
    item('chained', { trigger: 'achievement', achievements: ['five'] }),
  ],
  points: [xp([perLesson(10)])],
  leaderboards: [
    metricBoard('total', {}),
    metricBoard('daily', DAILY),
    metricBoard('spoken', { ...DAILY, eventAttributes: { kind: 'spoken' } }),
    metricBoard('best', { ...DAILY, aggregation: 'best' }),
    metricBoard('latest', { ...DAILY, aggregation: 'latest' }),
    metricBoard('lowest', { ...DAILY, aggregation: 'best', sortOrder: 'asc' }),
    xpBoard('xp', DAILY),
  ],
};

const server = useServer({ config: CONFIG, relay: true, tenantEach: true });
const { admin, call } = server;
const send = async (value: number, more: object = {}): Promise<string> => {
  const { eventId } = await server.record('ann', value, 'lessons', more);
  return eventId;
};
const preview = (event: string, user = 'ann'): Promise<Reply> =>
  admin('GET', `/users/${user}/events/${event}/undo`);
const undo = (event: string, user = 'ann', more: object = {}): Promise<Reply> =>
  admin('POST', `/users/${user}/events/${event}/undo`, { reason: 'Sent twice', ...more });
const total = async (): Promise<number> => (await call('GET', '/v1/users/ann/metrics/lessons')).body.current;
const score = async (key: string): Promise<number | undefined> =>
  (await call('GET', `/v1/leaderboards/${key}`)).body.rankings[0]?.value;
const events = async (): Promise<Json[]> =>
  (await admin('GET', '/users/ann/timeline?kinds=event')).body.items;
const user = async (): Promise<unknown> => [
  (await call('GET', '/v1/users/ann/streak')).body.length,
  (await call('GET', '/v1/users/ann/points/xp')).body.total,
  (await call('GET', '/v1/users/ann/achievements')).body.map(({ key }: Json) => key),
];

let five: string;

/** Ann has 5 lessons of two events, a streak of 1 day, 50 points and the first achievement. */
beforeEach(async () => {
  await send(2, { attributes: { kind: 'read' } });
  five = await send(3, { attributes: { kind: 'spoken' } });
});

test('an undone event counts no more for the total and for scores in open runs; the rest stays unless asked', async () => {
  const before = await user();
  expect(before).toEqual([1, 50, ['five', 'chained']]);
  const { status, body } = await undo(five);
  expect([status, body]).toEqual([200, { eventId: five, id: expect.any(String), undone: true, total: 2 }]);
  expect(await total()).toBe(2);
  expect(await user()).toEqual(before);
  expect(await Promise.all(['total', 'daily', 'spoken', 'best', 'latest', 'lowest'].map(score))).toEqual([
    2,
    2,
    undefined,
    2,
    2,
    2,
  ]);
  // The way up again earns nothing twice.
  await send(3);
  expect(await user()).toEqual(before);
});

test('points and achievements are taken back on request, and can be earned again', async () => {
  const all = { points: true, achievements: true };
  expect((await undo(five, 'ann', { achievements: true })).body.error).toContain('requires points');
  expect((await undo(five, 'ann', all)).body).toMatchObject({ undone: true, total: 2 });
  expect(await user()).toEqual([1, 20, []]);
  expect(await score('xp')).toBe(20);
  const { rows } = await server.pool.query('select 1 from completed_achievements where tenant = $1', [
    server.no,
  ]);
  expect(rows).toHaveLength(0);
  expect((await admin('GET', '/audit?userId=ann')).body).toMatchObject([
    { kind: 'undoneEvents', after: { ...all, event: five } },
  ]);
  await send(3);
  expect(await user()).toEqual([1, 50, ['five', 'chained']]);
});

test('the streak keeps a day of which the only event is undone, and the history stays by days', async () => {
  const { timestamp } = (await preview(five)).body;
  const yesterday = new Date(Date.parse(timestamp) - DAY_MS).toISOString();
  const late = await send(4, { timestamp: yesterday });
  const before = await user();
  expect(before).toEqual([2, 90, ['five', 'nine', 'chained']]);
  expect((await undo(late)).body).toMatchObject({ undone: true, total: 5 });
  expect(await user()).toEqual(before);
  const days = await server.pool.query(
    `select change::float8 from metric_totals_daily where tenant = $1 order by local_date`,
    [server.no],
  );
  expect(days.rows.map(({ change }) => change)).toEqual([0, 5]);
});

test('what will fall is said before, and what was undone is said afterwards', async () => {
  const run = dayFromStart(0);
  const falls = (key: string, value: number, valueAfter: number, rankAfter: number | null = 1) => ({
    leaderboard: item(key),
    ...{ run, isTotal: false, needsPoints: false, value, valueAfter, rank: 1, rankAfter },
  });
  expect((await preview(five)).body).toEqual({
    eventId: five,
    metric: { key: 'lessons', name: 'Lessons' },
    value: 3,
    timestamp: expect.any(String),
    total: 5,
    leaderboards: [
      { ...falls('total', 5, 2), run: '2020-01-01', isTotal: true },
      falls('daily', 5, 2),
      falls('spoken', 3, 0, null),
      falls('best', 3, 2),
      falls('latest', 3, 2),
      { ...falls('xp', 50, 20), needsPoints: true },
    ],
    points: [{ pointsSystem: { key: 'xp', name: 'XP' }, awarded: 30, total: 50 }],
    achievements: items('five', 'chained'),
    challenges: [],
    undoneAt: null,
  });
  await undo(five);
  expect((await preview(five)).body).toMatchObject({ total: 2, undoneAt: expect.any(String) });
  const [undoing, undone] = (await events()).filter(({ value }) => Math.abs(value) === 3);
  expect([undoing, undone].sort((a, b) => a!.value - b!.value)).toMatchObject([
    { value: -3, total: 2, origin: 'undo', undoes: five, undone: false, attributes: { kind: 'spoken' } },
    { value: 3, total: 5, origin: null, undoes: null, undone: true, eventId: five },
  ]);
  const timeline = (await admin('GET', '/users/ann/timeline?kinds=admin')).body;
  expect(timeline.items).toMatchObject([
    {
      action: 'create',
      subject: 'undoneEvents',
      after: { event: five, metric: 'lessons', reason: 'Sent twice' },
    },
  ]);
  expect((await admin('GET', '/audit?userId=ann')).body).toMatchObject([
    { kind: 'undoneEvents', after: { reason: 'Sent twice', value: 3 } },
  ]);
});

test('an event is undone once, also at the same moment and after the audit log was lost', async () => {
  const answers = await Promise.all([1, 2, 3].map(() => undo(five)));
  expect(answers.map(({ body }) => [body.undone, body.total]).sort()).toEqual([
    [false, 2],
    [false, 2],
    [true, 2],
  ]);
  await server.pool.query(`delete from audit_log where tenant = $1 and kind = 'undoneEvents'`, [server.no]);
  expect((await undo(five)).body).toMatchObject({ undone: true, total: 2 });
  expect((await undo(five)).body).toMatchObject({ undone: false, total: 2 });
  expect(await events()).toHaveLength(3);
});

describe('refused', () => {
  const expectRefused = async (event: string, status: number, error: string, of = 'ann'): Promise<void> => {
    const before = await events();
    for (const reply of [await preview(event, of), await undo(event, of)]) {
      expect([reply.status, reply.body.error]).toEqual([status, expect.stringContaining(error)]);
    }
    expect(await events()).toEqual(before);
  };

  test('is an event that undoes another one', async () => {
    const { id } = (await undo(five)).body;
    await expectRefused(id, 422, 'undoes another one');
  });

  test('is an event without a positive value', async () => {
    await expectRefused(await send(-1), 422, 'positive value');
  });

  test('is an unknown event, and one of another user', async () => {
    await expectRefused('0199d2a5-7c1e-7000-8000-000000000001', 404, 'no longer kept');
    await call('POST', '/v1/users', { id: 'bob' });
    await expectRefused(five, 404, 'User bob has no event', 'bob');
    await expectRefused(five, 404, 'User nobody does not exist', 'nobody');
  });

  test('is an event of a blocked user', async () => {
    await admin('POST', '/users/ann/block', { reason: 'A bot' });
    await expectRefused(five, 403, 'User ann is blocked');
  });

  test('is a call without a reason', async () => {
    expect((await admin('POST', `/users/ann/events/${five}/undo`, {})).status).toBe(422);
    expect((await admin('POST', `/users/ann/events/${five}/undo`, { reason: '' })).status).toBe(422);
    expect((await admin('POST', '/users/ann/events/none/undo', { reason: 'x' })).status).toBe(422);
    await undo(five, 'ann', { point: true });
    expect((await preview(five)).body.undoneAt).toBeNull();
  });
});

test('a leaderboard that began after the event has not counted it, so its score stays', async () => {
  const [metric] = (await admin('GET', '/metrics')).body;
  const board = { key: 'later', name: 'later', rankBy: 'metric', metricId: metric.id, ...DAILY };
  const created = await admin('POST', '/leaderboards', [{ ...board, start: '2020-01-01', status: 'active' }]);
  expect(created.status, JSON.stringify(created.body)).toBe(201);
  await send(1);
  expect(await score('later')).toBe(1);
  expect((await preview(five)).body.leaderboards).toHaveLength(5);
  await undo(five);
  expect([await score('later'), await score('daily')]).toEqual([1, 3]);
});

test('an event of another tenant is not found', async () => {
  const mine = server.tenant;
  await server.createTenant(CONFIG);
  await send(3);
  await expect(undo(five)).resolves.toMatchObject({ status: 404 });
  server.tenant = mine;
  expect(await total()).toBe(5);
});

test('an undo is refused if its user was erased after the event was read', async () => {
  const { redis } = server;
  const cells = (await readCells(server.pool))!;
  const { lateEvents, rulesStore } = createEngine({ redis, clock: server.clock, cells });
  const rules = await rulesStore.load(server.no);
  const erasures = await readErasures({ redis, cells }, server.no);
  expect((await admin('DELETE', '/users/ann')).status).toBeLessThan(300);
  const at = server.clock.now();
  const timestamp = new Date(at).toISOString();
  const metric = rules.metricByKey.get('lessons')!;
  const event = {
    id: five,
    metric,
    value: 3,
    attributes: new Map(),
    facts: {},
    at,
    day: 0,
    arrivedAt: at,
    points: new Map(),
    begun: new Map(),
  };
  const undone = lateEvents.recordByAdmin(
    rules,
    'lessons',
    { user: { id: 'ann' }, value: -3, timestamp },
    { id: newId(), undoes: { event, scope: { points: false, achievements: false }, erasures } },
  );
  await expect(undone).resolves.toEqual({ status: 'erasing' });
  expect((await call('GET', '/v1/users/ann')).status).toBe(404);
});
