import { beforeAll, expect, test } from 'vitest';
import { TRIAL_DAYS } from '../../src/base/trialLimits.ts';
import { DAY_MS } from '../../src/rules/calendar.ts';
import { DAILY, item, items, lessonStreak, metricBoard, perLesson, xp, xpBoard } from '../support/items.ts';
import { Random, readSeed } from '../support/random.ts';
import type { Json } from '../support/reading.ts';
import { createTenants } from '../support/server.ts';
import { until } from '../support/until.ts';
import { useServer } from '../support/useServer.ts';

/**
 * What trials of streak settings and leaderboards say is what happens: tenants record the same events. One tries
 * settings at the end that each of the others has had in force from the first instant of the window on.
 */

const FROM = Date.parse('2026-12-03T10:00:00Z');
const UNTIL = FROM + TRIAL_DAYS * DAY_MS;
const EARLIER_DAYS = 14;
const USERS = 7;
const random = new Random(readSeed('triedStreaks', 20_261_129));

const lessons = (threshold: number) => ({ key: 'lessons', threshold });
const minutes = { key: 'minutes', threshold: 8 };
const FREEZES = { startCount: 1, maxCount: 2, autoEarnInterval: 6, autoEarnAmount: 1 };
const SETTINGS: Record<string, Json> = {
  same: {},
  two: { metrics: [lessons(2)] },
  both: { metrics: [lessons(1), minutes], evaluationMode: 'AND' },
  either: { metrics: [lessons(3), minutes], evaluationMode: 'OR' },
  bare: { freezes: null },
  generous: { freezes: { startCount: 2, maxCount: 4, autoEarnInterval: 2, autoEarnAmount: 2 } },
  weekends: { daysOff: [0, 6] },
  weekly: { frequency: 'weekly', metrics: [lessons(9)] },
  monthly: { frequency: 'monthly' },
};

const RUNS_FROM = '2026-11-16';
const ATTRIBUTES = { event: [{ key: 'far', name: 'Far', valueType: 'boolean' }], user: items('plan') };
const BOARDS: Json[] = [
  metricBoard('daily', { ...DAILY, start: RUNS_FROM }),
  metricBoard('weekly', { runUnit: 'week', runInterval: 1, start: RUNS_FROM }),
  metricBoard('far', { runUnit: 'week', runInterval: 1, start: RUNS_FROM, eventAttributes: { far: 'true' } }),
  metricBoard('counted', { ...DAILY, start: RUNS_FROM, aggregate: 'count', where: { value: { gte: 3 } } }),
  metricBoard('best', { runUnit: 'month', runInterval: 1, start: '2026-11-01', aggregation: 'best' }),
  metricBoard('tokyo', { ...DAILY, start: RUNS_FROM, timeZone: 'Asia/Tokyo' }),
  metricBoard('plans', { ...DAILY, start: RUNS_FROM, breakdownAttributes: ['plan'] }),
  metricBoard('ever', { start: RUNS_FROM }),
  xpBoard('points', { runUnit: 'week', runInterval: 1, start: RUNS_FROM }),
  xpBoard('total', { start: RUNS_FROM }),
  { ...item('streaks'), rankBy: 'streak', start: RUNS_FROM },
];

const CONFIG = {
  attributes: ATTRIBUTES,
  metrics: items('lessons', 'minutes'),
  streak: lessonStreak({ freezes: FREEZES }),
  points: [xp([perLesson(10)])],
};

const server = useServer({ relay: true, worker: true, config: 'none' });
const TENANTS = ['plain', 'boards', ...Object.keys(SETTINGS)];
const of = (tenant: string) => ({ 'Tenant-ID': tenant });
const call = (tenant: string, method: string, path: string, body?: unknown): Promise<Json> =>
  server.answer(method, path, body, of(tenant));
const callAll = (method: string, path: string, body: unknown) =>
  Promise.all(TENANTS.map((tenant) => call(tenant, method, path, body)));

const ZONES = ['UTC', 'Pacific/Auckland', 'America/Los_Angeles'];

async function record(no: number): Promise<void> {
  const user = {
    id: `user-${no}`,
    tz: ZONES[no % ZONES.length],
    attributes: no % 2 === 0 ? { plan: 'pro' } : {},
  };
  const value = random.int(1, 5);
  const isLesson = random.chance(0.8);
  await callAll('POST', `/v1/metrics/${isLesson ? 'lessons' : 'minutes'}/event`, {
    user,
    value,
    attributes: random.chance(0.4) ? { far: 'true' } : {},
  });
}

/** Moves the clock without a wait for the history. */
const moveOn = (at: number): Promise<Json> => {
  const now = new Date(at).toISOString();
  return server.answer('POST', '/admin/v1/test-clock', { now, stopped: true, awaitHistory: false });
};

/** Each user has days without an event. */
async function play(from: number, until: number, users: number): Promise<void> {
  for (let at = from; at < until; at += random.int(2_000_000, 20_000_000)) {
    await moveOn(at);
    const active = Array.from({ length: users }, (_, i) => i + 1).filter(
      (no) => (Math.floor(at / DAY_MS) * 7 + no * 3) % 5 < 3,
    );
    await Promise.all([active[0], active.at(-1), random.pick(active)].map((no) => record(no!)));
  }
}

const numberOf = new Map<string, number>();

beforeAll(async () => {
  await server.moveTo(FROM - EARLIER_DAYS * DAY_MS);
  await createTenants(server, TENANTS, CONFIG);
  await call('boards', 'PUT', '/admin/v1/config', { ...CONFIG, leaderboards: BOARDS });
  await play(FROM - EARLIER_DAYS * DAY_MS, FROM - 1_000, USERS - 2);
  await server.moveTo(FROM);
  for (const [tenant, settings] of Object.entries(SETTINGS))
    await call(tenant, 'PATCH', '/admin/v1/streaks/settings', settings);
  await callAll('PATCH', '/v1/users/user-2/preferences', { streak: { enabled: false } });
  // All users must have been checked by the new rules.
  await until(async () => (await server.call('GET', '/admin/v1/status')).body.reviews.length === 0);
  await play(FROM + 60_000, FROM + 11 * DAY_MS, USERS);
  await callAll('POST', '/admin/v1/streaks/reset', { users: [{ id: 'user-4' }], reason: 'A script' });
  await play(FROM + 11 * DAY_MS + 60_000, UNTIL, USERS);
  await server.moveTo(UNTIL);
  await server.relayed();
  const { rows } = await server.pool.query('select no, customer_id from tenants');
  for (const row of rows) numberOf.set(row.customer_id, row.no);
}, 400_000);

async function tryItem(path: string, tried: Json): Promise<Record<string, Json>> {
  const answer = await call('plain', 'POST', `/admin/v1${path}/try`, { item: tried });
  expect(answer).toMatchObject({ usersExamined: USERS, users: USERS, days: TRIAL_DAYS, cursor: null });
  return answer;
}

const figuresOf = ({ figures }: Record<string, Json>): Record<string, Json> =>
  Object.fromEntries(
    figures.map(({ name, of: about, before, after }: Json) => [
      about === null ? name : about,
      { before, after },
    ]),
  );

/** What happened to the streaks of a tenant within the window. */
async function happened(tenant: string, frequency = 'daily'): Promise<Record<string, number>> {
  const values = [numberOf.get(tenant), frequency, new Date(FROM), new Date(UNTIL)];
  const counted = (table: string, instant: string): string =>
    `(select count(*)::integer from ${table} where tenant = $1 and frequency = $2 and ${instant} >= $3 and ${instant} < $4`;
  const { rows } = await server.pool.query(
    `select ${counted('streak_extensions', 'extended_at')} and made_good_by is null) as "streaksExtended",
       ${counted('streak_losses', 'lost_at')}) as "streaksLost",
       ${counted('streak_extensions', 'extended_at')} and made_good_by = 'freeze') as "freezesUsed"`,
    values,
  );
  const { body } = await server.call('GET', '/admin/v1/users?limit=100&streakMin=1', undefined, of(tenant));
  return { ...rows[0], usersWithStreak: body.users.length };
}

test.each(Object.keys(SETTINGS))('streak settings %s: how streaks go', async (tenant) => {
  const answer = await tryItem('/streaks/settings', SETTINGS[tenant]);
  const [real, other] = [await happened('plain'), await happened(tenant, SETTINGS[tenant].frequency)];
  const expected = Object.fromEntries(
    Object.keys(real).map((name) => [name, { before: real[name], after: other[name] }]),
  );
  expect(figuresOf(answer)).toEqual(expected);
  const lengths = async (of: string, id: string) => (await call(of, 'GET', `/v1/users/${id}/streak`)).length;
  for (const { userId, before, after } of answer.examples)
    expect({ before, after }).toEqual({
      before: await lengths('plain', userId),
      after: await lengths(tenant, userId),
    });
});

/** Users with a score at the end of each run, by its first day. */
async function participants(key: string): Promise<Map<string, number>> {
  const { rows } = await server.pool.query(
    `select run_start::text as run, count(*)::integer as users from (
       select distinct on (run_start, user_id) run_start, user_id, value from leaderboard_changes
       join entities using (tenant) where tenant = $1 and kind = 'leaderboards' and no = leaderboard and key = $2
       order by run_start, user_id, last_sequence desc) as latest where value > 0 group by 1`,
    [numberOf.get('boards'), key],
  );
  return new Map(rows.map(({ run, users }: Json) => [run, users]));
}

const ids = async (path: string): Promise<Map<string, string>> =>
  new Map((await call('plain', 'GET', `/admin/v1${path}?limit=100`)).map(({ key, id }: Json) => [key, id]));

/** A leaderboard of a file as the Admin API takes it. */
async function apiBoard({ metric, points, eventAttributes, breakdownAttributes, ...rest }: Json) {
  const attributes = await ids('/attributes');
  return {
    ...rest,
    ...(metric && { metricId: (await ids('/metrics')).get(metric) }),
    ...(points && { pointsSystemId: (await ids('/points')).get(points) }),
    ...(eventAttributes && {
      eventAttributes: Object.entries(eventAttributes).map(([key, value]) => ({
        attributeId: attributes.get(key),
        attributeValue: value,
      })),
    }),
    ...(breakdownAttributes && {
      breakdownAttributes: breakdownAttributes.map((key: string) => attributes.get(key)),
    }),
  };
}

test.each(BOARDS.map(({ key }) => key))('leaderboard %s: the users with a score in each run', async (key) => {
  const board = BOARDS.find((one) => one.key === key)!;
  const { usersRanked, ...runs } = figuresOf(await tryItem('/leaderboards', await apiBoard(board)));
  const real = await participants(key);
  const found = Object.entries(runs).map(([run, { after }]) => [run, after]);
  if (found.length > 0) {
    const first = found[0]![0];
    expect(first <= '2026-12-03').toBe(true);
    const expected = [...real].filter(([run]) => run >= first).sort();
    expect(found.filter(([, users]) => users > 0).sort()).toEqual(expected);
  } else {
    const { rankings } = await call('boards', 'GET', `/v1/leaderboards/${key}?limit=100`);
    expect(usersRanked).toEqual({ before: 0, after: rankings.length });
  }
  expect(usersRanked.after).toBeGreaterThan(0);
});

test('a stored leaderboard: the users who really have a score', async () => {
  const stored = await call('boards', 'GET', '/admin/v1/leaderboards');
  const { id, key, name, rankBy } = stored.find((board: Json) => board.key === 'weekly');
  const answer = await call('boards', 'POST', '/admin/v1/leaderboards/try', {
    item: { id, key, name, rankBy, maxParticipants: 5 },
  });
  for (const { before, after } of answer.figures) expect(before).toBe(after);
  expect(answer.figures.length).toBeGreaterThan(4);
});

test('the settings of streaks cannot be tried if they could not be saved, or are off', async () => {
  const refused = async (tried: Json) => {
    const { status, body } = await server.call(
      'POST',
      '/admin/v1/streaks/settings/try',
      { item: tried },
      of('plain'),
    );
    return [status, body.error];
  };
  expect(await refused({ daysOff: [7] })).toEqual([422, expect.stringMatching(/daysOff/)]);
  expect(await refused({ metrics: [] })).toEqual([422, 'metrics must hold at least 1 item']);
  expect(await refused({ enabled: false })).toEqual([422, expect.stringMatching(/^This cannot be tried/)]);
  const hours = { ...metricBoard('hours', { start: '2026-12-03', startTime: '08:00', endTime: '20:00' }) };
  const { status, body } = await server.call(
    'POST',
    '/admin/v1/leaderboards/try',
    { item: await apiBoard(hours) },
    of('plain'),
  );
  expect([status, body.error]).toEqual([422, expect.stringMatching(/local time of each event/)]);
  await server.expectSameStores();
});
