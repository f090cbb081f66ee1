import type { Redis } from 'ioredis';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newId } from '../../src/base/ids.ts';
import { createLog } from '../../src/base/log.ts';
import { findOpenActivation, restartOpenActivations } from '../../src/db/configuration/activations.ts';
import { readCells } from '../../src/db/installation.ts';
import type { ActivationDependencies } from '../../src/engine/activations/runActivation.ts';
import { ACTIVATED_AT_ONCE_MAX } from '../../src/engine/activations/runActivation.ts';
import { HistoryOutdated } from '../../src/engine/calls/userRefusals.ts';
import { createEngine as createParts } from '../../src/engine/engine.ts';
import type { UserChanges } from '../../src/engine/users/userChanges.ts';
import { connectForJobs } from '../../src/redis/connection/redisClient.ts';
import { decodeEntry } from '../../src/redis/decoding/outbox.ts';
import { keys } from '../../src/redis/keys/redisKeys.ts';
import { LEADERBOARD_RESERVE } from '../../src/rules/compile/compileLeaderboards.ts';
import { Jobs } from '../../workers/jobs/jobs.ts';
import { ACTIVATIONS, pacedWork } from '../../workers/jobs/pacedJobs.ts';
import { Schedules } from '../../workers/jobs/schedules.ts';
import { createActivations } from '../../workers/jobs/scheduleTable.ts';
import { YieldingPace } from '../../workers/jobs/yieldingPace.ts';
import { createEngine } from '../support/engine.ts';
import { useImports } from '../support/importing.ts';
import { achievement, items, metricBoard, xp } from '../support/items.ts';
import { storeOnly } from '../support/storedConfig.ts';
import { dayFromStart } from '../support/testTime.ts';
import { until } from '../support/until.ts';
import { useServer } from '../support/useServer.ts';

const silent = createLog('test', 'silent');
const WAIT_MS = 60_000;
const fullSpeed = new YieldingPace({ averageMs: null });

/** The day has begun in UTC, but not yet in the westernmost zones. */
const MORNING = `${dayFromStart(0)}T09:00:00Z`;

const server = useServer({ config: {}, env: { LAUREL_TEST_CLOCK: MORNING }, relay: true, tenantEach: true });
const { call } = server;
let redis: Redis;
let parts: ActivationDependencies;
let allUsers: UserChanges;
const ids: Record<string, string> = {};
const createOne = async (path: string, item: object): Promise<string> => (await server.create(path, item)).id;

const activate = async (path: string, entity: string): Promise<void> => {
  const { body } = await call('PATCH', `/admin/v1${path}`, [{ id: entity, status: 'active' }]);
  expect(body.issues).toEqual([]);
};

const record = (user: string | object, value = 1, attributes?: object): Promise<Record<string, unknown>> =>
  server.record(user, value, 'lessons', { attributes });

/** As a client does: an event that is refused because the machine is busy is repeated, and counts once. */
const recordAtLast = (user: string, value: number): Promise<unknown> => {
  const headers = { 'Idempotency-Key': newId() };
  return until(async () => {
    const reply = await call('POST', '/v1/metrics/lessons/event', { user: { id: user }, value }, headers);
    if (reply.status === 503) return false;
    expect(reply.status, JSON.stringify(reply.body)).toBeLessThan(300);
    return true;
  }, WAIT_MS);
};

const listActivations = async () => (await call('GET', '/admin/v1/activations?limit=100')).body;

const whenFinished = async (entity: string): Promise<unknown> => {
  await runSchedule();
  return until(async () => {
    const all: { status: string; activated: { id: string }[] }[] = await listActivations();
    const about = all.filter(({ activated }) => activated.some((one) => one.id === entity));
    return about.some(({ status }) => status === 'finished') && about;
  }, WAIT_MS);
};

const completedOf = async (user: string): Promise<string[]> =>
  (await call('GET', `/v1/users/${user}/achievements`)).body.map(({ key }: { key: string }) => key).sort();

const ranking = async (key: string): Promise<[string, number][]> => {
  const { status, body } = await call('GET', `/v1/leaderboards/${key}?limit=1000`);
  expect(status).toBe(200);
  return body.rankings.map(({ userId, value }: { userId: string; value: number }) => [userId, value]);
};

/** Runs the schedule of the worker at once; without it, the worker does so within two seconds. */
let runSchedule = (): Promise<void> => Promise.resolve();

/** A worker as workers/start/startWorker.ts puts it together, for activations only. */
function startActivations(): () => Promise<void> {
  const jobs = new Jobs(connectForJobs(server.redisUrl, silent), silent);
  jobs.work(pacedWork(ACTIVATIONS, parts, fullSpeed));
  const context = { ...parts, jobs, log: silent };
  const schedule = { name: 'activations', pattern: '*/2 * * * * *', run: () => createActivations(context) };
  const schedules = new Schedules([schedule], context);
  schedules.start();
  runSchedule = () => createActivations(context);
  return async () => {
    runSchedule = () => Promise.resolve();
    await schedules.stop();
    await jobs.stop();
  };
}

beforeAll(async () => {
  const { pool } = server;
  ({ redis } = server);
  const cells = (await readCells(pool))!;
  const engine = createParts({ redis, clock: server.clock, cells });
  allUsers = engine.users;
  parts = { ...engine, pool, redis };
});
beforeEach(async () => {
  ids.city = await createOne('/attributes', { key: 'city', name: 'City', type: 'user' });
  ids.device = await createOne('/attributes', { key: 'device', name: 'Device', type: 'event' });
  ids.lessons = await createOne('/metrics', { key: 'lessons', name: 'Lessons' });
  ids.xp = await createOne('/points', { key: 'xp', name: 'XP' });
  expect(await listActivations()).toEqual([]);
});

const metricAchievement = (key: string, value: number, more: object = {}) => ({
  key,
  name: key,
  trigger: 'metric',
  status: 'inactive',
  metricId: ids.lessons,
  metricValue: value,
  ...more,
});

describe('with a worker', () => {
  let stop: () => Promise<void>;
  beforeEach(() => {
    stop = startActivations();
  });
  afterEach(() => stop());

  test('activating an achievement completes it silently for users who qualify, together with what depends on it', async () => {
    const five = await createOne('/achievements', metricAchievement('five', 5));
    await createOne('/achievements', {
      key: 'after-five',
      name: 'After five',
      trigger: 'achievement',
      status: 'active',
      achievementIds: [five],
    });
    await createOne(`/points/${ids.xp}/triggers`, {
      type: 'achievement',
      achievementId: five,
      points: 50,
      status: 'active',
    });
    await record('done', 5);
    await record('peaked', 6);
    await record('peaked', -3);
    await record('below', 4);
    await activate('/achievements', five);
    expect(await whenFinished(five)).toMatchObject([{ status: 'finished', done: 3, total: 3 }]);

    expect(await completedOf('done')).toEqual(['after-five', 'five']);
    expect(await completedOf('peaked')).toEqual(['after-five', 'five']);
    expect(await completedOf('below')).toEqual([]);
    // It earns nothing, then and later, and is not reported again.
    expect((await call('GET', `/v1/users/${'done'}/points/xp`)).body.total).toBe(0);
    expect(await record('done')).toMatchObject({ achievements: [], points: {} });
    const { rows } = await server.pool.query(
      'select user_id from achievement_completions where tenant = $1 and achievement = $2 order by 1',
      [server.no, 'five'],
    );
    expect(rows.map(({ user_id: user }) => user)).toEqual(['done', 'peaked']);
    const [statistics] = (await call('GET', '/v1/achievements')).body.filter(
      ({ key }: { key: string }) => key === 'five',
    );
    expect(statistics.completions).toBe(2);
    // A user who reaches it by an event gets all of it.
    expect(await record('below')).toMatchObject({
      achievements: [{ key: 'five' }, { key: 'after-five' }],
      points: { xp: { added: 50 } },
    });
  });

  test('an achievement that is created active is completed too, for users whose attributes match', async () => {
    await record({ id: 'ann', attributes: { city: 'london' } }, 3);
    await record({ id: 'ben', attributes: { city: 'paris' } }, 3);
    const londoner = await createOne('/achievements', {
      ...metricAchievement('londoner', 3, { status: 'active' }),
      userAttributes: [{ attributeId: ids.city, attributeValue: 'london' }],
    });
    await whenFinished(londoner);
    expect(await completedOf('ann')).toContain('londoner');
    expect(await completedOf('ben')).not.toContain('londoner');
  });

  test('a leaderboard that is filled completes no achievement: the next event does, and awards its points', async () => {
    const pro = { attributes: { user: [{ key: 'plan', name: 'Plan' }] } };
    const first = { ...achievement('first', 1), userAttributes: { plan: 'pro' } };
    const points = [xp([{ type: 'achievement', achievement: 'first', points: 10 }])];
    const config = { ...pro, metrics: items('lessons'), achievements: [first], points };
    await server.configure(config);
    await whenFinished(await server.idOf('/achievements', 'first'));
    await record('ann');
    await call('PUT', '/v1/users/ann', { attributes: { plan: 'pro' } });
    await server.configure({ ...config, leaderboards: [metricBoard('all')] });
    const [board] = await server.get('/admin/v1/leaderboards');
    await whenFinished(board.id);
    expect(await ranking('all')).toEqual([['ann', 1]]);
    expect(await completedOf('ann')).toEqual([]);
    const { achievements, points: changed } = await record('ann');
    expect([achievements, changed]).toMatchObject([[{ key: 'first' }], { xp: { total: 10 } }]);
  });

  test('events that match a filter count, although nothing had counted them', async () => {
    const filter = { eventAttributes: [{ attributeId: ids.device, attributeValue: 'phone' }] };
    await record('early', 9, { device: 'phone' });
    await record('other', 9, { device: 'tablet' });
    await record('near', 8, { device: 'phone' });
    const mobile = await createOne(
      '/achievements',
      metricAchievement('mobile', 9, { status: 'active', ...filter }),
    );
    await whenFinished(mobile);
    expect(await completedOf('early')).toContain('mobile');
    expect(await completedOf('other')).not.toContain('mobile');
    expect(await record('near', 1, { device: 'phone' })).toMatchObject({
      achievements: [{ key: 'mobile' }],
    });
  });

  test('a running streak completes an achievement', async () => {
    const file = { streak: { enabled: true, metrics: [{ key: 'lessons', threshold: 1 }] } };
    await storeOnly(server.pool, server.no, file, { actor: 'test', now: server.clock.now() });
    const streaky = await createOne('/achievements', {
      key: 'streaky',
      name: 'Streaky',
      trigger: 'streak',
      status: 'inactive',
      streakLength: 1,
    });
    await record('today');
    await record('zero', 0);
    await activate('/achievements', streaky);
    await whenFinished(streaky);
    expect(await completedOf('today')).toContain('streaky');
    expect(await completedOf('zero')).not.toContain('streaky');
  });

  test('a perpetual leaderboard is filled with totals, group by group, up to its limit', async () => {
    const board = { rankBy: 'metric', metricId: ids.lessons, start: dayFromStart(-1) };
    const totals = await createOne('/leaderboards', {
      ...board,
      key: 'totals',
      name: 'Totals',
      maxParticipants: 1_000,
    });
    const grouped = await createOne('/leaderboards', {
      ...board,
      key: 'cities',
      name: 'Cities',
      breakdownAttributes: [ids.city],
      maxParticipants: 2,
    });
    const city = 'city-1';
    for (const [name, value] of Object.entries({ a: 10, b: 30, c: 20, d: 40 })) {
      await record({ id: name, ...(name !== 'd' && { attributes: { city } }) }, value);
    }
    await record('down', 5);
    await record('down', -5);
    await activate('/leaderboards', totals);
    await activate('/leaderboards', grouped);
    await whenFinished(totals);
    await whenFinished(grouped);
    // A change of a user: the server notices that there are newer rules.
    await record('down', 0);
    expect(await ranking('totals')).toEqual([
      ['d', 40],
      ['b', 30],
      ['c', 20],
      ['a', 10],
    ]);
    const group = await call('GET', `/v1/leaderboards/cities?userAttributes=city:${city}`);
    expect(group.body.rankings.map(({ userId }: { userId: string }) => userId)).toEqual(['b', 'c']);
    expect(await record('a', 25)).toMatchObject({ leaderboards: { totals: { rank: 2 } } });
  });

  test.each([
    ['perpetual', {}],
    ['with runs', { runUnit: 'day', runInterval: 7 }],
  ])(
    'a leaderboard that is %s and gets more places than the reserve holds is filled from all users',
    async (_, run) => {
      const users = LEADERBOARD_RESERVE + 5;
      const key = 'wide';
      const wide = await createOne('/leaderboards', {
        key,
        name: 'Wide',
        rankBy: 'metric',
        metricId: ids.lessons,
        maxParticipants: 1,
        start: dayFromStart(-1),
        ...run,
        status: 'active',
      });
      // The last ones never enter, and the first of them is pushed out again.
      for (const i of [users, ...Array.from({ length: users - 1 }, (_, n) => n + 1)]) {
        await record(`u${i}`, 1_000_000 - i - (i === users ? 1 : 0));
      }
      expect(await ranking(key)).toEqual([['u1', 999_999]]);
      const { body } = await call('PATCH', '/admin/v1/leaderboards', [{ id: wide, maxParticipants: users }]);
      expect(body.issues).toEqual([]);
      await runSchedule();
      await until(async () => (await ranking(key)).length === users, WAIT_MS);
      expect((await ranking(key)).map(([user]) => user)).toEqual(
        Array.from({ length: users }, (_, n) => `u${n + 1}`),
      );
    },
  );

  test('a leaderboard with an end counts what happens in it, and a perpetual one that gets an end keeps its totals', async () => {
    const board = { rankBy: 'metric', metricId: ids.lessons, start: dayFromStart(-1) };
    const cup = await createOne('/leaderboards', { ...board, key: 'cup', name: 'Cup', end: dayFromStart(7) });
    const ever = await createOne('/leaderboards', { ...board, key: 'ever', name: 'Ever' });
    await record('a', 100);
    await activate('/leaderboards', cup);
    await activate('/leaderboards', ever);
    await whenFinished(ever);
    expect(await ranking('cup')).toEqual([]);
    await record('a', 5);
    await record('b', 7);
    expect(await ranking('cup')).toEqual([
      ['b', 7],
      ['a', 5],
    ]);
    const issuesOf = async (id: string, end: string | null) =>
      (await call('PATCH', '/admin/v1/leaderboards', [{ id, end }])).body.issues;
    expect(await issuesOf(ever, dayFromStart(7))).toEqual([]);
    await record('a', 1);
    await record('c', 2);
    expect(await ranking('ever')).toEqual([
      ['a', 106],
      ['b', 7],
      ['c', 2],
    ]);
    expect(await issuesOf(cup, null)).toMatchObject([
      { message: expect.stringContaining('cannot be removed once active') },
    ]);
    expect(await issuesOf(cup, dayFromStart(9))).toEqual([]);
  });

  test('a perpetual leaderboard of best or latest values is filled from the events that match', async () => {
    const board = { rankBy: 'metric', metricId: ids.lessons, start: dayFromStart(-1), ties: 'shared' };
    const eventAttributes = [{ attributeId: ids.device, attributeValue: 'phone' }];
    const best = { ...board, aggregation: 'best', sortOrder: 'asc', eventAttributes };
    const lowest = await createOne('/leaderboards', { ...best, key: 'lowest', name: 'Lowest' });
    const latest = await createOne('/leaderboards', {
      ...board,
      eventAttributes,
      aggregation: 'latest',
      key: 'latest',
      name: 'Latest',
    });
    const phone = { device: 'phone' };
    for (const value of [5, -3, 4]) await record('a', value, phone);
    for (const value of [0, 2]) await record('b', value, phone);
    await record('b', -9);
    await record('c', -8);
    await record('d', 7, phone);
    const everywhere = { ...board, aggregation: 'best', sortOrder: 'asc', key: 'all', name: 'All' };
    const all = await createOne('/leaderboards', everywhere);
    const imports = await useImports(server, server);
    await imports.import('users', [{ id: 'e', 'metric.lessons': 1 }]);
    await imports.import('users', [{ id: 'd', 'metric.lessons': 1 }], { merge: 'add' });
    await imports.close();
    await activate('/leaderboards', lowest);
    await activate('/leaderboards', latest);
    await whenFinished(lowest);
    await whenFinished(latest);
    expect(await ranking('lowest')).toEqual([
      ['a', -3],
      ['b', 0],
      ['d', 7],
    ]);
    expect(await ranking('latest')).toEqual([
      ['d', 7],
      ['a', 4],
      ['b', 2],
    ]);
    await activate('/leaderboards', all);
    await whenFinished(all);
    // Imported totals are no events.
    expect(await ranking('all')).toEqual([
      ['b', -9],
      ['c', -8],
      ['a', -3],
      ['d', 7],
    ]);
    expect(await record('c', -7, phone)).toMatchObject({
      leaderboards: { lowest: { rank: 1 }, latest: { rank: 4 } },
    });
    await record('a', 1, phone);
    expect((await ranking('latest')).at(2)).toEqual(['a', 1]);
  });

  test('a leaderboard whose whole reserve leaves at once is filled from all users', async () => {
    const count = LEADERBOARD_RESERVE + 1;
    const key = 'left';
    await createOne('/leaderboards', {
      key,
      name: 'Left',
      rankBy: 'metric',
      metricId: ids.lessons,
      maxParticipants: 1,
      start: dayFromStart(-1),
      status: 'active',
    });
    const batch = async (sign: number) => {
      const events = Array.from({ length: count }, (_, i) => ({
        key: 'lessons',
        user: { id: `best${i}` },
        value: sign * (i === 0 ? 2_000_001 : 2_000_000),
      }));
      expect((await call('POST', '/admin/v1/metrics/events', events)).status).toBe(202);
    };
    await batch(1);
    await record('first outside', 1_500_000);
    await record('next', 1_400_000);
    expect(await ranking(key)).toEqual([['best0', 2_000_001]]);
    await batch(-1);
    await runSchedule();
    await until(async () => (await ranking(key)).length === 1, WAIT_MS);
    expect(await ranking(key)).toEqual([['first outside', 1_500_000]]);
  });

  test('a leaderboard with runs is not filled: what users gained before a run does not count', async () => {
    const weekly = await createOne('/leaderboards', {
      key: 'weekly',
      name: 'Weekly',
      rankBy: 'metric',
      metricId: ids.lessons,
      start: dayFromStart(-1),
      runUnit: 'day',
      runInterval: 7,
    });
    await record('before', 10);
    await activate('/leaderboards', weekly);
    const all: { activated: { id: string }[] }[] = await listActivations();
    expect(all.filter(({ activated }) => activated.some((one) => one.id === weekly))).toEqual([]);
    await record('before', 2);
    expect(await ranking('weekly')).toEqual([['before', 2]]);
  });

  test('a leaderboard that starts today is filled again when the date has begun in every zone', async () => {
    const today = await createOne('/leaderboards', {
      key: 'today',
      name: 'Today',
      rankBy: 'metric',
      metricId: ids.lessons,
      start: dayFromStart(0),
    });
    await activate('/leaderboards', today);
    const all: { due: string; activated: { id: string }[] }[] = await listActivations();
    const due = all
      .filter(({ activated }) => activated.some((one) => one.id === today))
      .map((one) => Date.parse(one.due));
    const everywhere = Date.parse(`${dayFromStart(0)}T12:00:00Z`);
    expect(due).toHaveLength(2);
    expect(Math.min(...due)).toBeLessThan(everywhere);
    expect(Math.max(...due)).toBe(everywhere);
  });
});

test('a user who changes all the time holds up nobody, and is processed last', async () => {
  for (const user of ['a', 'busy', 'c', 'd']) await recordAtLast(user, 7);
  const item = { ...metricAchievement('seven', 7), aggregate: 'count', metricValue: 1, status: 'active' };
  await createOne('/achievements', item);
  const { rows } = await server.pool.query<{ id: string }>(
    'select id from activations where tenant = $1 and finished_at is null order by id desc limit 1',
    [server.no],
  );
  const { id } = rows[0]!;
  const processed: string[] = [];
  const users: typeof parts.users = {
    activate: (rules, userId, ...more) => {
      if (userId === 'busy' && processed.length < 3) throw new HistoryOutdated(userId);
      processed.push(userId);
      return parts.users.activate(rules, userId, ...more);
    },
  };
  const work = pacedWork(ACTIVATIONS, { ...parts, users }, fullSpeed);
  const never = new AbortController().signal;
  await work.run({ data: { id } } as Parameters<typeof work.run>[0], never, never);
  expect(processed).toEqual(['a', 'c', 'd', 'busy']);
  expect(await findOpenActivation(server.pool, id)).toBeNull();
  expect(await completedOf('busy')).toEqual(['seven']);
});

test('several workers, in turn and in parallel, give every user exactly what is due while events arrive', async () => {
  const users = Array.from({ length: 700 }, (_, i) => `u${String(i).padStart(3, '0')}`);
  for (let i = 0; i < users.length; i += 100)
    await Promise.all(users.slice(i, i + 100).map((user) => recordAtLast(user, 7)));
  const seven = await createOne('/achievements', metricAchievement('seven', 7));
  const board = await createOne('/leaderboards', {
    key: 'many',
    name: 'Many',
    rankBy: 'metric',
    metricId: ids.lessons,
    start: dayFromStart(-1),
    maxParticipants: 1_000,
  });
  await activate('/achievements', seven);
  await activate('/leaderboards', board);
  const open: { rows: { id: string }[] } = await server.pool.query(
    'select id from activations where tenant = $1 and finished_at is null order by id',
    [server.no],
  );

  const work = pacedWork(ACTIVATIONS, parts, fullSpeed);
  const job = (activation: string) => ({ data: { id: activation } }) as Parameters<typeof work.run>[0];
  const stopAtOnce = async (activation: string): Promise<void> => {
    const stopping = new AbortController();
    const { signal } = stopping;
    const users: typeof parts.users = {
      activate: (...user) => {
        stopping.abort();
        return parts.users.activate(...user);
      },
    };
    await pacedWork(ACTIVATIONS, { ...parts, users }, fullSpeed).run(job(activation), signal, signal);
    expect(await findOpenActivation(server.pool, activation)).toMatchObject({
      usersDone: ACTIVATED_AT_ONCE_MAX,
      finishedAt: null,
    });
  };
  // After a restore of Redis, which may not have known what was given, it begins anew.
  const [first, second] = open.rows.slice(-2).map((row) => row.id) as [string, string];
  await stopAtOnce(second);
  await restartOpenActivations(server.pool);
  expect(await findOpenActivation(server.pool, second)).toMatchObject({ usersDone: 0, lastUser: '' });
  // Otherwise the next one starts where it was.
  await stopAtOnce(first);

  const never = new AbortController().signal;
  const events = users.slice(0, 100).map((user) => recordAtLast(user, 1));
  const works = open.rows.flatMap((row) => [row, row]).map((row) => work.run(job(row.id), never, never));
  await Promise.all([...events, ...works]);

  expect(await whenFinished(seven)).toMatchObject([{ status: 'finished' }]);
  expect(await whenFinished(board)).toMatchObject([{ status: 'finished' }]);
  const { rows: completed } = await server.pool.query(
    `select count(*)::int as users from achievement_completions where tenant = $1 and achievement = 'seven' and user_id = any($2)`,
    [server.no, users],
  );
  expect(completed).toEqual([{ users: users.length }]);
  const ranked = new Map<string, number>();
  for (let offset = 0; offset < 1_000; offset += 100) {
    const page = (await call('GET', `/v1/leaderboards/many?limit=100&offset=${offset}`)).body.rankings;
    for (const { userId, value } of page) {
      expect(ranked.has(userId)).toBe(false);
      ranked.set(userId, value);
    }
  }
  for (const [i, user] of users.entries()) expect([user, ranked.get(user)]).toEqual([user, i < 100 ? 8 : 7]);

  // Once given, nothing more is due: going through them again changes nobody.
  const { rules, user: before } = await allUsers.read(await parts.rulesStore.load(server.no), users[0]!);
  const { outcome, user: after } = await parts.users.activate(rules, users[0]!, []);
  expect(outcome).toEqual({ status: 'unchanged' });
  expect(after.sequence).toBe(before.sequence);
});

test('outbox entries of an activation are marked as silent', async () => {
  const lessons = { key: 'lessons', name: 'Lessons' };
  const engine = await createEngine({ metrics: [lessons] });
  try {
    await engine.record('lessons', { user: { id: 'ann' }, value: 2 });
    const two = { key: 'two', name: 'Two', trigger: 'metric', metric: 'lessons', metricValue: 2 };
    await engine.configure({ metrics: [lessons], achievements: [two] });
    const rules = await engine.rulesStore.load(engine.tenant);
    await engine.users.activate(
      rules,
      'ann',
      rules.config.achievements.map(({ id }) => id),
    );
    const stream = keys.outbox(engine.cellOf('ann'));
    const [, [, fields]] = (await engine.redis.xrangeBuffer(stream, '-', '+')) as [
      unknown,
      [Buffer, Buffer[]],
    ];
    expect(decodeEntry(fields)).toMatchObject({
      fn: 'changeUser',
      changes: [{ change: { userId: 'ann' }, outcome: { completed: [], completedSilently: [1] } }],
    });
  } finally {
    await engine.close();
  }
});
