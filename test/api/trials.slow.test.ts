import { beforeAll, describe, expect, test } from 'vitest';
import { TRIAL_DAYS } from '../../src/base/trialLimits.ts';
import { DAY_MS } from '../../src/rules/calendar.ts';
import { achievement, item, lessonStreak, perLesson, xp } from '../support/items.ts';
import { Random, readSeed } from '../support/random.ts';
import type { Json } from '../support/reading.ts';
import { createTenants } from '../support/server.ts';
import { until } from '../support/until.ts';
import { useServer } from '../support/useServer.ts';

/**
 * What trials say is what happens: two tenants record the same events. One has the rules in force from the first
 * instant of the window on, the other one tries them at its end.
 */

const FROM = Date.parse('2026-12-03T10:00:00Z');
const UNTIL = FROM + TRIAL_DAYS * DAY_MS;
const EARLIER_DAYS = 12;
const USERS = 14;
const random = new Random(readSeed('trials', 20_261_128));

const longRuns = { attribute: 'distance', gte: 5 };
const GUARDED = {
  'laps-held': { maxValue: 8, cooldownSeconds: 3_600, action: 'hold' },
  'laps-refused': {
    minValue: 1,
    limits: [
      { per: 'day', events: 2 },
      { per: 'hour', value: 9 },
    ],
  },
  'laps-reduced': { maxValue: 7, limits: [{ per: 'day', value: 10 }], action: 'clamp' },
} as const;
type Guarded = keyof typeof GUARDED;

/** A points system for each trigger, so that their sums do not mix. */
const SYSTEMS = {
  each: perLesson(10),
  threes: perLesson(7, { metricThreshold: 3 }),
  spent: perLesson(-1, { metricThreshold: 4 }),
  long: perLesson(5, { where: longRuns, aggregate: 'count' }),
  // With a counter of its own: that of an achievement is filled.
  distance: perLesson(2, {
    metricThreshold: 5,
    aggregate: { sum: 'distance' },
    where: { attribute: 'distance', exists: true },
  }),
  days: perLesson(4, { aggregate: 'days', metricThreshold: 2, where: { value: { gte: -9 } } }),
  pro: perLesson(3, { userAttributes: { plan: 'pro' } }),
  streak: { type: 'streak', streakLength: 2, points: 11 },
  completion: { type: 'achievement', achievement: 'first', points: 13 },
  newcomer: { type: 'user_creation', points: 17 },
};
type System = keyof typeof SYSTEMS;

const BOOST = { name: 'Half', multiplier: 1.5, rounding: 'nearest' };
/** Of the system `each` in both tenants. */
const PRESENT_BOOST = { ...BOOST, start: '2026-12-10', end: '2026-12-20' };

/** A points system that gives new users enough that nothing is taken from 0. */
const system = (key: string, triggers: object[] = [], boosts: object[] = []) => ({
  ...xp([{ type: 'user_creation', points: 1_000 }, ...triggers], {
    boosts: key === 'each' ? [PRESENT_BOOST] : boosts,
  }),
  ...item(key),
});

const ACHIEVEMENTS: Record<string, Json> = {
  total: achievement('total', 25),
  long: achievement('long', 4, { where: longRuns, aggregate: 'count' }),
  distance: achievement('distance', 40, { aggregate: { sum: 'distance' } }),
  days: achievement('days', 6, { aggregate: 'days' }),
  week: achievement('week', 3, { aggregate: 'days', per: 'week' }),
  day: achievement('day', 6, { per: 'day' }),
  far: achievement('far', 4, { aggregate: { max: 'distance' } }),
  kinds: achievement('kinds', 4, { aggregate: { distinct: 'distance' }, per: 'month' }),
  pro: achievement('pro', 20, { userAttributes: { plan: 'pro' } }),
  streak: { ...item('streak'), trigger: 'streak', streakLength: 3 },
  chain: { ...item('chain'), trigger: 'achievement', achievements: ['first', 'second'] },
  some: { ...item('some'), trigger: 'achievement', achievements: { atLeast: 1, of: ['second', 'third'] } },
};

const BASE = {
  attributes: {
    event: [{ key: 'distance', name: 'Distance', valueType: 'number' }],
    user: [{ key: 'plan', name: 'Plan' }],
  },
  metrics: [item('lessons'), ...Object.keys(GUARDED).map((key) => item(key))],
  streak: lessonStreak(),
  achievements: [achievement('first', 12), achievement('second', 22), achievement('third', 33)],
  points: [...Object.keys(SYSTEMS).map((key) => system(key)), system('boosted', [perLesson(3)])],
};

const IN_FORCE = {
  ...BASE,
  metrics: [item('lessons'), ...Object.entries(GUARDED).map(([key, guards]) => item(key, { guards }))],
  achievements: [...BASE.achievements, ...Object.values(ACHIEVEMENTS)],
  points: [
    ...Object.entries(SYSTEMS).map(([key, trigger]) => system(key, [trigger])),
    system('boosted', [perLesson(3)], [{ ...BOOST, start: '2026-01-01' }]),
  ],
};

const server = useServer({ relay: true, worker: true, config: 'none' });
const [WITHOUT, WITH] = ['without', 'with'];
const of = (tenant: string) => ({ 'Tenant-ID': tenant });
const call = (tenant: string, method: string, path: string, body?: unknown): Promise<Json> =>
  server.answer(method, path, body, of(tenant));

/** What guards did with events of the tenant that has them. */
const guarded: Record<Guarded, { held: number; refused: number; reduced: number; all: number }> = {
  'laps-held': { held: 0, refused: 0, reduced: 0, all: 0 },
  'laps-refused': { held: 0, refused: 0, reduced: 0, all: 0 },
  'laps-reduced': { held: 0, refused: 0, reduced: 0, all: 0 },
};

const ZONES = ['UTC', 'Pacific/Auckland', 'America/Los_Angeles'];
const planOf = (user: number): string => (user % 3 === 0 ? 'pro' : 'free');

/** @param least value: totals that fell before the window are left out */
async function recordLesson(no: number, least: number): Promise<void> {
  const user = { id: `user-${no}`, tz: ZONES[no % ZONES.length], attributes: { plan: planOf(no) } };
  const value = random.weighted([
    [8, random.int(1, 4)],
    [1, least],
    [1, 0.5],
  ]);
  const attributes = random.chance(0.7) ? { distance: random.int(1, 12) } : {};
  for (const tenant of [WITHOUT, WITH])
    await call(tenant!, 'POST', '/v1/metrics/lessons/event', { user, value, attributes });
}

async function recordLaps(no: number): Promise<void> {
  const user = { id: `user-${no}`, tz: ZONES[no % ZONES.length], attributes: { plan: planOf(no) } };
  const value = random.int(0, 10);
  for (const metric of Object.keys(GUARDED) as Guarded[]) {
    const path = `/v1/metrics/${metric}/event`;
    await call(WITHOUT!, 'POST', path, { user, value });
    const { status, body } = await server.call('POST', path, { user, value }, of(WITH!));
    const fate = guarded[metric];
    fate.all++;
    if (body.held) fate.held++;
    else if (status === 422) fate.refused++;
    else if (body.clampedFrom !== undefined) fate.reduced++;
  }
}

async function play(from: number, until: number, users: number, hasLaps: boolean): Promise<void> {
  for (let at = from; at < until; at += random.int(600_000, 22_000_000)) {
    await server.moveTo(at);
    const no = random.int(1, users);
    await recordLesson(no, hasLaps ? -1 : 1);
    if (hasLaps) await recordLaps(random.int(1, 5));
  }
}

const numberOf = new Map<string, number>();

beforeAll(async () => {
  await server.moveTo(FROM - EARLIER_DAYS * DAY_MS);
  await createTenants(server, [WITHOUT!, WITH!], BASE);
  await play(FROM - EARLIER_DAYS * DAY_MS, FROM, USERS - 4, false);
  await server.moveTo(FROM);
  await call(WITH!, 'PUT', '/admin/v1/config', IN_FORCE);
  await until(async () =>
    (await call(WITH!, 'GET', '/admin/v1/activations')).every(({ status }: Json) => status === 'finished'),
  );
  await play(FROM + 60_000, UNTIL, USERS, true);
  await server.moveTo(UNTIL);
  await server.relayed();
  const { rows } = await server.pool.query('select no, customer_id from tenants');
  for (const row of rows) numberOf.set(row.customer_id, row.no);
}, 300_000);

/** Ids of the tenant without the rules, by key. */
async function idsAt(path: string): Promise<Map<string, string>> {
  const items = await call(WITHOUT!, 'GET', `/admin/v1${path}?limit=100`);
  return new Map(items.map(({ key, id }: Json) => [key, id]));
}

/** An item of a file as the Admin API takes it. */
async function apiItem({ metric, achievement: completed, achievements, userAttributes, ...rest }: Json) {
  const [metrics, known, attributes] = [
    await idsAt('/metrics'),
    await idsAt('/achievements'),
    await idsAt('/attributes'),
  ];
  const ids = (keys: string[]) => keys.map((key) => known.get(key));
  const required = Array.isArray(achievements)
    ? ids(achievements)
    : achievements && { atLeast: achievements.atLeast, of: ids(achievements.of) };
  return {
    status: 'active',
    ...rest,
    ...(metric && { metricId: metrics.get(metric) }),
    ...(completed && { achievementId: known.get(completed) }),
    ...(required && { achievementIds: required }),
    ...(userAttributes && {
      userAttributes: Object.entries(userAttributes).map(([key, value]) => ({
        attributeId: attributes.get(key),
        attributeValue: value,
      })),
    }),
  };
}

/** The figures of a trial in the tenant without the rules, by name. */
async function tryItem(path: string, tried: Json): Promise<{ figures: Record<string, Json>; answer: Json }> {
  const answer = await call(WITHOUT!, 'POST', `/admin/v1${path}/try`, { item: tried });
  const figures = answer.figures.map((figure: Json) => [
    figure.of === null ? figure.name : `${figure.name} ${figure.of}`,
    { before: figure.before, after: figure.after },
  ]);
  return { figures: Object.fromEntries(figures), answer };
}

const after = async (sql: string, ...values: unknown[]): Promise<number> =>
  (await server.pool.query(sql, values)).rows[0].found;

/** Points that users of a tenant have gained in a system within the window. */
const gained = (tenant: string, key: string, sign: 1 | -1 = 1): Promise<number> =>
  after(
    `select coalesce(sum($4 * awarded) filter (where $4 * awarded > 0), 0)::float8 as found from award_history
     where tenant = $1 and recorded_at >= $3 and recorded_at < $5
       and system = (select no from entities where tenant = $1 and kind = 'pointsSystems' and key = $2)`,
    numberOf.get(tenant),
    key,
    new Date(FROM),
    sign,
    new Date(UNTIL),
  );

describe('an achievement', () => {
  test.each(Object.keys(ACHIEVEMENTS))('%s: the users who complete it', async (key) => {
    const { figures, answer } = await tryItem('/achievements', await apiItem(ACHIEVEMENTS[key]!));
    // Those who qualified before have completed it at the activation.
    const completed = await after(
      `select count(*)::integer as found from achievement_completions
       where tenant = $1 and achievement = $2 and completed_at > $3`,
      numberOf.get(WITH!),
      key,
      new Date(FROM),
    );
    expect(completed).toBeGreaterThan(0);
    expect(figures).toEqual({ completions: { before: 0, after: completed } });
    expect(answer.examples).toHaveLength(Math.min(3, completed));
    expect(answer).toMatchObject({ usersExamined: USERS, users: USERS, days: TRIAL_DAYS, cursor: null });
    expect(answer.from).toBe(new Date(FROM).toISOString());
  });
});

describe('a trigger', () => {
  test.each(Object.keys(SYSTEMS) as System[])('%s: the points that users gain and lose', async (key) => {
    const systemId = (await idsAt('/points')).get(key)!;
    const { figures } = await tryItem(`/points/${systemId}/triggers`, await apiItem(SYSTEMS[key]));
    expect(figures).toMatchObject({
      pointsGained: { before: await gained(WITHOUT!, key), after: await gained(WITH!, key) },
      pointsTaken: { before: 0, after: await gained(WITH!, key, -1) },
    });
    expect(figures.pointsGained.after + figures.pointsTaken.after).not.toBe(figures.pointsGained.before);
  });
});

test('a boost: the points that users gain', async () => {
  const systemId = (await idsAt('/points')).get('boosted')!;
  const { figures } = await tryItem(`/points/${systemId}/boosts`, { ...BOOST, start: '2027-06-01' });
  const [before, boosted] = [await gained(WITHOUT!, 'boosted'), await gained(WITH!, 'boosted')];
  expect(figures).toEqual({ pointsGained: { before, after: boosted } });
  expect(boosted).toBeGreaterThan(before);
});

describe('guards', () => {
  test.each(Object.keys(GUARDED) as Guarded[])('%s: the events that they stop', async (key) => {
    const id = (await idsAt('/metrics')).get(key);
    const { figures } = await tryItem('/metrics', { ...item(key), id, guards: GUARDED[key] });
    const { held, refused, reduced, all } = guarded[key];
    expect(held + refused + reduced).toBeGreaterThan(0);
    expect(figures).toEqual({
      events: { before: null, after: all },
      eventsHeld: { before: 0, after: held },
      eventsRefused: { before: null, after: refused },
      eventsReduced: { before: null, after: reduced },
    });
  });
});

describe('levels', () => {
  test('how many users are at each level, and would be', async () => {
    const path = `/points/${(await idsAt('/points')).get('each')}/levels`;
    const bronze = { key: 'bronze', name: 'Bronze', points: 500 };
    const { created } = await call(WITHOUT!, 'POST', `/admin/v1${path}`, [bronze]);
    const gold = await tryItem(path, { key: 'gold', name: 'Gold', points: 2_000 });
    expect(gold.figures).toEqual({
      usersAtLevel: { before: 0, after: 0 },
      'usersAtLevel bronze': { before: USERS, after: USERS },
      'usersAtLevel gold': { before: 0, after: 0 },
    });
    const moved = await tryItem(path, { ...bronze, id: created[0].id, points: 1_001 });
    expect(moved.figures).toEqual({
      usersAtLevel: { before: 0, after: USERS },
      'usersAtLevel bronze': { before: USERS, after: 0 },
    });
    expect(moved.answer.examples).toHaveLength(3);
    expect(moved.answer.examples[0]).toMatchObject({ before: 1, after: 0 });
  });
});

describe('an item that replaces a stored one', () => {
  test('an achievement: who completed it as it is, and who would have', async () => {
    const id = (await idsAt('/achievements')).get('third');
    const real = await after(
      `select count(*)::integer as found from achievement_completions
       where tenant = $1 and achievement = 'third' and completed_at > $2`,
      numberOf.get(WITHOUT!),
      new Date(FROM),
    );
    const same = await tryItem('/achievements', { ...(await apiItem(achievement('third', 33))), id });
    expect(same.figures).toEqual({ completions: { before: real, after: real } });
    const out = await tryItem('/achievements', { ...(await apiItem(achievement('third', 3_000))), id });
    expect(out.figures).toEqual({ completions: { before: real, after: 0 } });
  });

  test('a trigger: its points are replaced', async () => {
    const systemId = (await idsAt('/points')).get('boosted');
    const path = `/points/${systemId}/triggers`;
    const triggers = await call(WITHOUT!, 'GET', `/admin/v1${path}`);
    const { id } = triggers.find(({ type }: Json) => type === 'metric');
    const same = await tryItem(path, { ...(await apiItem(perLesson(3))), id });
    const before = await gained(WITHOUT!, 'boosted');
    expect(same.figures.pointsGained).toEqual({ before, after: before });
    const tenfold = await tryItem(path, { ...(await apiItem(perLesson(30))), id });
    expect(tenfold.figures.pointsGained.after).toBeGreaterThan(before);
  });
});

describe('a trial', () => {
  const cursorOf = (...position: (number | string)[]): string =>
    Buffer.from(JSON.stringify(position)).toString('base64url');
  const tryTotal = async (cursor?: string) =>
    server.call(
      'POST',
      '/admin/v1/achievements/try',
      { item: await apiItem(ACHIEVEMENTS.total!), cursor },
      of(WITHOUT!),
    );

  test('goes on where the cursor ends, and adds up', async () => {
    const { body: whole } = await tryTotal();
    const ids = Array.from({ length: USERS }, (_, i) => `user-${i + 1}`).sort();
    const { body: rest } = await tryTotal(cursorOf(FROM, UNTIL, USERS, ids.at(-1)!, 0, 7));
    expect(rest).toMatchObject({ usersExamined: USERS, cursor: null, examples: [] });
    expect(rest.figures).toEqual([{ name: 'completions', of: null, before: 0, after: 7 }]);
    const { body: all } = await tryTotal(cursorOf(FROM, UNTIL, 5, '', 0, 7));
    expect(all.usersExamined).toBe(USERS + 5);
    expect(all.figures[0].after).toBe(7 + whole.figures[0].after);
  });

  test.each([
    ['no text of laurel', 'x'],
    ['another length of time', cursorOf(FROM, UNTIL + 1, 0, '', 0, 0)],
    ['no id', cursorOf(FROM, UNTIL, 0, 5, 0, 0)],
  ])('refuses a cursor that is %s', async (_what, cursor) => {
    expect(await tryTotal(cursor)).toMatchObject({ status: 422 });
  });

  test('changes nothing', async () => {
    const version = async () => (await call(WITHOUT!, 'GET', '/admin/v1/config/versions'))[0].version;
    const before = await version();
    await tryTotal();
    expect(await version()).toBe(before);
    await server.expectSameStores();
  });

  test.each([
    [
      'an achievement of the backend',
      '/achievements',
      { key: 'api', name: 'A', trigger: 'api' },
      'your backend completes it, and the history does not hold when it would have',
    ],
    [
      'an anniversary',
      '/achievements',
      { name: 'A', trigger: 'anniversary', anniversaryYears: 1 },
      'the history does not hold the dates on which users signed up',
    ],
    ['guards of a new metric', '/metrics', { key: 'new', name: 'New' }, 'a new metric has no events yet'],
  ])('refuses %s, and says why', async (_what, path, tried, why) => {
    const { status, body } = await server.call('POST', `/admin/v1${path}/try`, { item: tried }, of(WITHOUT!));
    expect([status, body.error]).toEqual([422, `This cannot be tried: ${why}`]);
  });

  test('refuses points given by time, what could not be saved, and an unknown item', async () => {
    const path = `/admin/v1/points/${(await idsAt('/points')).get('each')}`;
    const refused = async (below: string, tried: Json) => {
      const { status, body } = await server.call(
        'POST',
        `${path}${below}/try`,
        { item: tried },
        of(WITHOUT!),
      );
      return [status, body.error];
    };
    const hourly = { type: 'time', points: 1, timeUnit: 'hours', timeInterval: 1 };
    expect(await refused('/triggers', hourly)).toEqual([
      422,
      expect.stringMatching(/^This cannot be tried: points given by time/),
    ]);
    expect(await refused('/triggers', { type: 'streak', points: 0, streakLength: 2 })).toEqual([
      422,
      'points must be a whole number other than 0',
    ]);
    const unknown = { id: '0199d2a5-7c1e-7000-8000-000000000001', name: 'No', key: 'no', points: 1 };
    expect(await refused('/levels', unknown)).toEqual([404, expect.stringMatching(/^There is no level/)]);
    const boost = { name: 'No', start: '2026-12-01', multiplier: 1 };
    expect(await refused('/boosts', boost)).toEqual([422, expect.stringMatching(/^multiplier must be/)]);
  });
});
