import { describe, expect, test } from 'vitest';
import { publishRules } from '../../src/engine/calls/rulesStore.ts';
import { buildCall } from '../../src/engine/calls/scriptCall.ts';
import { pack } from '../../src/redis/decoding/codec.ts';
import { keys } from '../../src/redis/keys/redisKeys.ts';
import { DETAIL, EVENT } from '../../src/redis/layouts/argumentLayout.ts';
import { toRecord } from '../../src/redis/layouts/recordLayout.ts';
import { Scripts } from '../../src/redis/scripts/scripts.ts';
import { dateOfDay, dayOfDate } from '../../src/rules/calendar.ts';
import { LEADERBOARD_RESERVE } from '../../src/rules/compile/compileLeaderboards.ts';
import { Rules } from '../../src/rules/inForce/rules.ts';
import { achievement, item, items, metricBoard, xp } from '../support/items.ts';
import { useRecorder } from '../support/recorder.ts';

/** Cases of what events bring about, once, and of what they must not, worked out by hand. */
const recorder = useRecorder();
const { start, at, record, recorded, read, stored } = recorder;

const METRICS = items('lessons');
const DAILY = { metrics: [{ key: 'lessons', threshold: 1 }] };
const LESSONS = { type: 'metric', metric: 'lessons' };

test('an unknown trigger type is an error, and nothing is recorded', async () => {
  const triggers = [{ ...LESSONS, metricThreshold: 1, points: 10 }];
  await start({ metrics: METRICS, points: [xp(triggers)] });
  const { redis, cells, clock, ...engine } = recorder.engine;
  const rules = engine.rules();
  const known = rules.scriptRules({ kind: 'event', metric: rules.config.metrics[0]! });
  const trigger = { ...known.points[0]!.triggers[0]!, on: 'weather' as 'time' };
  const scriptRules = { ...known, points: [{ ...known.points[0]!, triggers: [trigger] }] };
  const noValues = {
    control: false,
    fingerprint: false,
    profileHash: 0,
    attributes: false,
    counters: false,
    addends: false,
  } as const;
  const event = toRecord(EVENT, { ...noValues, userId: 'ann', metric: known.metric, value: 1 });
  const call = buildCall(rules, engine.cellOf('ann'), clock.now(), event, [known.defaultZone], [scriptRules]);
  const details = pack(toRecord(DETAIL, { eventId: 'a', profile: false }));
  const before = await stored();
  const keyUses = pack({});
  await expect(new Scripts(redis, cells).recordEvents({ ...call, details, keyUses })).rejects.toThrow(
    'unknown trigger type weather',
  );
  expect(await stored()).toEqual(before);
});

test('rules with an unknown trigger type are refused before a script is called', async () => {
  await start({
    metrics: METRICS,
    points: [xp([{ ...LESSONS, metricThreshold: 1, points: 1 }])],
  });
  const { config } = recorder.engine.rules();
  const [trigger] = config.pointsTriggers;
  const rules = new Rules({ ...config, pointsTriggers: [{ ...trigger!, type: 'weather' as 'time' }] });
  expect(() => rules.scriptRules({ kind: 'event', metric: config.metrics[0]! })).toThrow(
    'unknown trigger type weather',
  );
});

describe('idempotency', () => {
  const points = [xp([{ ...LESSONS, metricThreshold: 1, points: 10 }])];

  test('500 parallel events of one user all count', async () => {
    await start({ metrics: METRICS, streak: DAILY, points });
    const outcomes = await Promise.all(Array.from({ length: 500 }, () => recorded('ann', 0.5)));
    expect(outcomes.map(({ sequence }) => sequence)).toEqual(outcomes.map((_, i) => i + 1));
    expect(outcomes.filter(({ extended }) => extended)).toHaveLength(1);
    const user = await read('ann');
    expect([...user.counters.values()]).toEqual([250]);
    expect([...user.points.values()]).toEqual([2_500]);
  });

  test('500 parallel events with one key count once', async () => {
    await start({ metrics: [...METRICS, { key: 'other', name: 'Other' }], points });
    const outcomes = await Promise.all(Array.from({ length: 500 }, () => record('ann', 2, 'key')));
    expect(outcomes.filter(({ status }) => status === 'recorded')).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome.status === 'replayed' && outcome.total === 2)).toHaveLength(
      499,
    );
    const user = await read('ann');
    expect([user.sequence, ...user.counters.values(), ...user.points.values()]).toEqual([1, 2, 20]);
    // The key is another one for another user, and for another metric.
    expect((await record('bo', 2, 'key')).status).toBe('recorded');
    expect((await record('ann', 2, 'key', 'other')).status).toBe('recorded');
  });

  test('a key can be used again after its window', async () => {
    await start({ metrics: METRICS, settings: { idempotencyWindowSeconds: 3_600 } });
    const statuses = [];
    for (const now of ['12:00:00', '12:59:59.999', '13:00:00', '13:59:59.999', '15:00:00']) {
      at(`2026-11-18T${now}`);
      statuses.push((await record('ann', 1, 'key')).status);
    }
    expect(statuses).toEqual(['recorded', 'replayed', 'recorded', 'replayed', 'recorded']);
  });

  test('a setting that changes forgets no key', async () => {
    const file = { metrics: METRICS };
    const setWindow = (idempotencyWindowSeconds: number | null) =>
      recorder.engine.configure({ ...file, settings: { idempotencyWindowSeconds } });
    await start({ ...file, settings: { idempotencyWindowSeconds: 60 } });
    at('2026-11-18T12:00:00Z');
    expect((await record('ann', 1, 'key')).status).toBe('recorded');
    expect((await record('ann', 1, 'other')).status).toBe('recorded');
    at('2026-11-18T12:00:30Z');
    await setWindow(null);
    expect((await record('ann', 1, 'key')).status).toBe('replayed');
    expect((await record('ann', 1, 'without a window')).status).toBe('recorded');
    // Redis still knows what has run out under a shorter window.
    at('2026-11-20T12:00:00Z');
    expect((await record('ann', 1, 'key')).status).toBe('replayed');
    await setWindow(86_400);
    expect((await record('ann', 1, 'key')).status).toBe('recorded');
    expect((await record('ann', 1, 'without a window')).status).toBe('replayed');
    await setWindow(7 * 86_400);
    expect((await record('ann', 1, 'other')).status).toBe('replayed');
  });

  test('a replay changes nothing and shows the current state', async () => {
    await start({ metrics: METRICS, streak: DAILY });
    at('2026-11-18T12:00:00Z');
    await recorded({ id: 'ann', tz: 'Europe/London' }, 2, 'key');
    const before = await stored();
    const replay = await record({ id: 'ann', tz: 'Pacific/Kiritimati', name: 'Ann' }, 2, 'key');
    expect(replay).toMatchObject({ status: 'replayed', total: 2, streak: { length: 1 } });
    expect(dateOfDay((replay as { day: number }).day)).toBe('2026-11-18');
    expect(await stored()).toEqual(before);
    at('2026-11-20T12:00:00Z');
    expect(await record('ann', 2, 'key')).toMatchObject({
      status: 'replayed',
      total: 2,
      streak: { length: 0 },
    });
  });
});

describe('sums of decimals', () => {
  const board = metricBoard('week', { start: '2026-01-05' });

  test('ten events of 0.1 come to 1 wherever sums are kept', async () => {
    await start({
      metrics: METRICS,
      streak: DAILY,
      attributes: { event: items('kind') },
      achievements: [
        achievement('one', 1),
        {
          key: 'one-b',
          name: 'One',
          trigger: 'metric',
          metric: 'lessons',
          metricValue: 1,
          eventAttributes: { kind: 'b' },
        },
      ],
      points: [xp([{ ...LESSONS, metricThreshold: 1, points: 10 }])],
      leaderboards: [
        { ...board, runUnit: 'day', runInterval: 7 },
        { ...board, key: 'ever' },
      ],
    });
    const event = ['ann', 0.1, undefined, 'lessons', { kind: 'b' }] as const;
    let last = await recorded(...event);
    for (let i = 2; i <= 10; i++) last = await recorded(...event);
    expect(last).toMatchObject({ total: 1, extended: true, streak: { length: 1 } });
    expect(last.completed).toHaveLength(2);
    expect(last.points).toMatchObject([{ total: 10 }]);
    expect(last.boards.map(({ value, previousValue }) => [value, previousValue])).toEqual([
      [1, 0.9],
      [1, 0.9],
    ]);
    expect([...(await read('ann')).counters.values()]).toEqual([1, 1]);
  });

  test('a difference has no more decimals than its parts', async () => {
    await start({ metrics: METRICS });
    await recorded('ann', 1.4);
    expect((await recorded('ann', -1.3)).total).toBe(0.1);
    expect((await recorded('ann', 1e9)).total).toBe(1_000_000_000.1);
    expect((await recorded('ann', 1e-20)).total).toBe(1_000_000_000.1);
  });

  test('whole numbers stay exact beyond 15 digits', async () => {
    await start({ metrics: METRICS });
    for (let i = 0; i < 1_001; i++) await recorded('ann', 1e12);
    expect(await recorded('ann', 1)).toMatchObject({ total: 1_001_000_000_000_001 });
  });
});

describe('the maximum of participants', () => {
  const file = (maxParticipants: number) => ({
    metrics: METRICS,
    leaderboards: [metricBoard('ever', { start: '2026-01-05', maxParticipants })],
  });
  const board = { board: 1, run: dayOfDate('2026-01-05'), group: '' };

  test('takes effect at once when it is lowered, and nobody enters beyond it', async () => {
    await start(file(10));
    for (const [i, user] of ['ann', 'bob', 'cid', 'dan', 'eve'].entries()) await recorded(user, 50 - 10 * i);
    await recorder.engine.configure(file(3));
    expect(await recorded('fay', 5)).toMatchObject({ boards: [] });
    expect(await recorder.ranking(board)).toBe('ann 50, bob 40, cid 30');
    expect((await recorded('fay', 30)).boards).toMatchObject([
      { rank: 3, previousRank: null, threshold: 35 },
    ]);
    expect(await recorder.ranking(board)).toBe('ann 50, bob 40, fay 35');
    expect((await recorded('cid', -1)).boards).toEqual([]);
    await recorder.engine.configure(file(4));
    expect((await recorded('gus', 1)).boards).toEqual([]);
    expect(await recorder.ranking(board)).toBe('ann 50, bob 40, fay 35, cid 29');
  });

  test('one call may fill, exchange and empty the reserve', async () => {
    await start(file(1));
    const { redis, tenant, cell } = recorder.engine;
    const key = keys.board(tenant, cell, board.board, board.run, board.group);
    const scores = async (): Promise<number[]> =>
      (await redis.zrange(key, '0', '-1', 'WITHSCORES')).filter((_, i) => i % 2 === 1).map(Number);
    const kept = 1 + LEADERBOARD_RESERVE;
    const range = (from: number, count: number): number[] =>
      Array.from({ length: count }, (_, i) => from + i);
    const recordAll = (values: readonly [user: string, value: number][]): Promise<unknown> =>
      Promise.all(values.map(([user, value]) => recorded(user, value)));

    // 37 has no divisor in common with 150: all users come, in another order.
    await recordAll(range(0, 150).map((i) => [`user-${(37 * i) % 150}`, 1_001 + ((37 * i) % 150)]));
    expect(await scores()).toEqual(range(1_150 - LEADERBOARD_RESERVE, kept));
    await recordAll([
      ['newcomer', 1_060],
      ['late', 1_050],
    ]);
    expect(await scores()).toEqual([...range(1_051, 10), 1_060, ...range(1_061, kept - 11)]);
    // Whoever falls to 0 leaves room for lower scores of the same call.
    await recordAll([
      ...range(100, 40).map((i): [string, number] => [`user-${i}`, -1_001 - i]),
      ...range(1, 60).map((value): [string, number] => [`low-${value}`, value]),
    ]);
    expect(await scores()).toEqual([
      ...range(21, 40),
      ...range(1_051, 10),
      1_060,
      ...range(1_061, 40),
      ...range(1_141, 10),
    ]);
    await recordAll(range(0, 150).map((i) => [`user-${i}`, -1_001 - i]));
    expect(await scores()).toEqual([...range(21, 40), 1_060]);
  });

  test('a place that becomes free goes to the best of those outside', async () => {
    await start(file(2));
    for (const [user, value] of Object.entries({ ann: 5, bob: 4, cid: 3, dan: 2 }))
      await recorded(user, value);
    expect((await recorded('bob', -4)).boards).toMatchObject([{ rank: null, previousRank: 2 }]);
    expect(await recorder.ranking(board)).toBe('ann 5, cid 3');
    expect((await recorded('ann', -4)).boards).toMatchObject([{ rank: null, previousRank: 1 }]);
    expect(await recorder.ranking(board)).toBe('cid 3, dan 2');
  });
});

describe('points', () => {
  const system = (fields: object) => [{ key: 'xp', name: 'XP', ...fields }];

  test('points are not earned again after the total went down and up', async () => {
    const trigger = { trigger: 'metric', metric: 'lessons' };
    await start({
      metrics: METRICS,
      points: system({ triggers: [{ ...LESSONS, metricThreshold: 5, points: 10 }] }),
      achievements: [
        { ...trigger, key: 'ten', name: 'Ten', metricValue: 10 },
        { ...trigger, key: 'twelve', name: 'Twelve', metricValue: 12 },
      ],
    });
    const steps = [];
    for (const value of [-7, 12, 7, -12, 10, 2, 0.5, 2.5, -20, 24.5]) {
      const { total, points, completed } = await recorded('ann', value);
      steps.push([total, points[0]?.added ?? 0, completed.length]);
    }
    expect(steps).toEqual([
      [-7, 0, 0],
      [5, 10, 0],
      [12, 10, 2],
      [0, 0, 0],
      [10, 0, 0],
      [12, 0, 0],
      [12.5, 0, 0],
      [15, 10, 0],
      [-5, 0, 0],
      [19.5, 0, 0],
    ]);
  });

  test.each([
    // points, boosts as multiplier and rounding, awarded
    [10, ['2 down'], 20],
    [10, ['1.1 up'], 11],
    [7, ['1.5 down'], 10],
    [7, ['1.5 up'], 11],
    [7, ['1.5 nearest'], 11],
    [3, ['1.1 nearest'], 3],
    [3, ['1.5 up', '1.5 up'], 7], // 6.75, rounded once
    [3, ['1.5 down', '1.5 nearest'], 6],
    [3, ['1.5 nearest', '1.5 down'], 6],
    [5, ['1.5 nearest', '1.1 up'], 8], // 8.25
    [5, ['1.1 up', '1.5 nearest'], 8],
    [5, ['0.7 nearest', '3 up'], 11], // 10.5, though a little less in binary fractions
    [-10, ['2 up'], -10], // only awards are boosted
    [1, ['0.4 nearest'], 0],
  ])('%d points with boosts %j are %d', async (points, given, awarded) => {
    const boosts = given.map((boost) => {
      const [multiplier, rounding] = boost.split(' ');
      return {
        name: boost,
        start: '2026-11-18',
        end: '2026-11-18',
        multiplier: Number(multiplier),
        rounding,
      };
    });
    const creation = { type: 'user_creation', points: 1_000 };
    await start({ metrics: METRICS, points: system({ triggers: [creation], boosts: [] }) });
    await recorded('ann', 0);
    const triggers = [creation, { ...LESSONS, metricThreshold: 1, points }];
    await recorder.engine.configure({ points: system({ triggers, boosts }) });
    const outcome = await recorded({ id: 'ann', tz: 'America/Los_Angeles' });
    expect(outcome.points.map(({ added }) => added)).toEqual(awarded === 0 ? [] : [awarded]);
    // It is the user's own date that counts.
    at('2026-11-19T07:59:59Z');
    expect((await recorded('ann')).points[0]?.added ?? 0).toBe(awarded);
    at('2026-11-19T08:00:00Z');
    expect((await recorded('ann')).points[0]?.added).toBe(points);
  });

  test('totals stay within 0 and the maximum, and a maximum set later takes nothing away', async () => {
    const triggers = [
      { ...LESSONS, metricThreshold: 1, points: 6 },
      { type: 'streak', streakLength: 2, points: -50 },
    ];
    await start({ metrics: METRICS, streak: DAILY, points: system({ maxPoints: 10, triggers }) });
    const steps: string[] = [];
    const step = async () => {
      const { points } = await recorded('ann');
      steps.push(...points.map(({ added, total }) => `${added} = ${total}`));
    };
    for (let i = 0; i < 3; i++) await step();
    await recorder.engine.configure({ points: system({ maxPoints: 4, triggers }) });
    await step();
    at('2026-11-19T12:00:00Z');
    await step();
    await step();
    expect(steps).toEqual(['6 = 6', '4 = 10', '-10 = 0', '4 = 4']);
  });
});

describe('achievements', () => {
  test('are completed once, together with the achievements that they unlock', async () => {
    await start({
      metrics: METRICS,
      streak: DAILY,
      achievements: [
        item('all', { trigger: 'achievement', achievements: ['both', 'profile'] }),
        item('both', { trigger: 'achievement', achievements: ['three', 'two-days'] }),
        achievement('three', 3),
        { key: 'two-days', name: 'Two days', trigger: 'streak', streakLength: 2 },
        item('profile', { trigger: 'api' }),
        achievement('locked', 1, { status: 'locked' }),
      ],
      points: [xp([{ type: 'achievement', achievement: 'all', points: 7 }])],
    });
    const { engine } = recorder;
    const named = (numbers: number[]) =>
      numbers.map((no) => engine.rules().byNo('achievements', no).key).sort();
    expect(named((await recorded('ann', 3)).completed)).toEqual(['three']);
    const complete = async () => (await engine.users.complete(engine.rules(), 'ann', {}, 'profile')).outcome;
    expect(await complete()).toMatchObject({ status: 'recorded', total: 0, completed: [5] });
    expect(await complete()).toEqual({ status: 'unchanged' });
    at('2026-11-19T12:00:00Z');
    const outcome = await recorded('ann', 3);
    expect(named(outcome.completed)).toEqual(['all', 'both', 'two-days']);
    expect(outcome.points).toMatchObject([{ added: 7 }]);
    at('2026-11-20T12:00:00Z');
    expect(await recorded('ann', 3)).toMatchObject({ completed: [], points: [] });
    expect((await read('ann')).achievements.size).toBe(5);
  });
});

describe('achievements with filters', () => {
  // What the counter reached before the user qualified is found at the next event that the counter counts.
  const one = achievement('x', 1);
  const attributes = { user: items('city'), event: items('device') };
  const london = { id: 'ann', attributes: { city: 'london' } };

  test('are completed by the event that sets the attribute', async () => {
    const achievements = [{ ...one, userAttributes: { city: 'london' } }];
    await start({ metrics: METRICS, attributes, achievements });
    const completed = [];
    for (const user of ['ann', 'ann', london, london])
      completed.push((await recorded(user)).completed.length);
    expect(completed).toEqual([0, 0, 1, 0]);
  });

  test('are completed by the next event that counts, and by no other', async () => {
    const both = { userAttributes: { city: 'london' }, eventAttributes: { device: 'ios' } };
    await start({ metrics: METRICS, attributes, achievements: [{ ...one, ...both }] });
    const completed = [];
    for (const [user, device] of [
      [{ id: 'ann' }, 'ios'],
      [london, 'web'],
      [{ id: 'ann' }, 'web'],
      [{ id: 'ann' }, 'ios'],
    ] as const) {
      const outcome = await recorder.engine.record('lessons', { user, value: 1, attributes: { device } });
      completed.push(outcome.status === 'recorded' && outcome.completed.length);
    }
    expect(completed).toEqual([0, 0, 0, 1]);
  });
});

describe('a refused event leaves no trace', () => {
  const energy = {
    key: 'energy',
    name: 'Energy',
    maxPoints: 30,
    triggers: [
      { type: 'user_creation', points: 5 },
      { ...LESSONS, metricThreshold: 1, points: -1, blockIfOutOfPoints: true },
    ],
  };
  const board = metricBoard('all', { start: '2026-01-01' });

  test('if it would overdraw points', async () => {
    await start({ metrics: METRICS, streak: DAILY, points: [energy], leaderboards: [board] });
    expect(await record('ann', 6, 'key')).toEqual({ status: 'outOfPoints', system: 1 });
    expect(await stored()).toEqual({});
    expect(await record({ id: 'ann', tz: 'Europe/London' }, 4, 'key')).toMatchObject({
      status: 'recorded',
      isNew: true,
    });
    const before = await stored();
    const moved = { id: 'ann', tz: 'Pacific/Kiritimati', name: 'Ann' };
    const [refused, other] = await Promise.all([record(moved, 2, 'other'), record(moved, 3, 'third')]);
    expect([refused.status, other.status]).toEqual(['outOfPoints', 'outOfPoints']);
    expect(await stored()).toEqual(before);
    expect(await recorded(moved, 1, 'other')).toMatchObject({ points: [{ total: 0 }] });
  });

  test('if it would overdraw points, also after the total has fallen', async () => {
    await start({ metrics: METRICS, streak: DAILY, points: [energy], leaderboards: [board] });
    expect(await recorded('ann', 5)).toMatchObject({ points: [{ total: 0 }] });
    await recorded('ann', -500);
    expect(await record('ann', 3)).toEqual({ status: 'outOfPoints', system: 1 });
    expect(await recorded('bob', 2)).toMatchObject({ points: [{ total: 3 }] });
    await recorded('bob', -2);
    expect(await recorded('bob', 2)).toMatchObject({ points: [{ total: 1 }] });
  });

  test('if it subscribes to e-mails without an address, without effect on other events of the call', async () => {
    await start({ metrics: METRICS, streak: DAILY, leaderboards: [board] });
    const subscribe = { id: 'ann', subscribeToEmails: true, name: 'Ann' };
    expect(await record(subscribe, 1, 'key')).toEqual({ status: 'noEmail' });
    expect(await stored()).toEqual({});
    const outcomes = await Promise.all([record('bo'), record(subscribe, 1, 'key'), record('cy')]);
    expect(outcomes.map(({ status }) => status)).toEqual(['recorded', 'noEmail', 'recorded']);
    await expect(read('ann')).rejects.toMatchObject({ code: 'notFound' });
    expect(await recorded({ ...subscribe, email: 'ann@example.com' }, 1, 'key')).toMatchObject({
      isNew: true,
    });
  });

  test.each([
    ['an unknown metric', { id: 'ann' }, 'nothing', 'notFound', /nothing/],
    ['an unknown time zone', { id: 'ann', tz: 'Mars/Olympus' }, 'lessons', 'invalid', /tz/],
    [
      'unknown attributes',
      { id: 'ann', attributes: { a: '1', city: 'x', b: null } },
      'lessons',
      'invalid',
      /: a, b\./,
    ],
    ['text that is no text', { id: 'ann', name: 'a\ud800' }, 'lessons', 'invalid', /name/],
    [
      'attributes that are no text',
      { id: 'ann', attributes: { city: 'a\0' } },
      'lessons',
      'invalid',
      /city|attributes/,
    ],
    ['an impossible user id', { id: 'a\0b' }, 'lessons', 'invalid', /user\.id/],
  ])('when it names %s', async (_name, user, metric, code, message) => {
    await start({ metrics: METRICS, attributes: { user: items('city') } });
    await expect(record(user, 1, 'key', metric)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
    expect(await stored()).toEqual({});
  });
});

describe('rules that another process has changed', () => {
  test('apply to every later event, even of servers that have not loaded them', async () => {
    await start({ metrics: METRICS, streak: DAILY });
    const { engine } = recorder;
    await recorded('ann');
    const old = engine.rules();
    const points = [xp([{ ...LESSONS, metricThreshold: 1, points: 3 }])];
    await engine.configure({ points, streak: { ...DAILY, frequency: 'weekly' } });
    expect(engine.rules()).toBe(old);
    const outcomes = await Promise.all([recorded('ann'), recorded('bo')]);
    expect(engine.rules().version).toBe(old.version + 1);
    expect(outcomes.map((outcome) => outcome.points[0]!.added)).toEqual([3, 3]);
    expect(outcomes.map(({ streak }) => streak.lastPeriod)).toEqual([2968, 2968]);
  });

  test('may have entities that older rules lack', async () => {
    await start({ metrics: METRICS });
    const { engine } = recorder;
    const attributes = { user: items('city') };
    await engine.configure({ metrics: items('other'), attributes });
    expect(await record({ id: 'ann', attributes: { city: 'london' } }, 1, undefined, 'other')).toMatchObject({
      total: 1,
    });
  });

  test('apply to reads and identifications, and older rules do not return', async () => {
    await start({ metrics: METRICS });
    const { engine } = recorder;
    const { config } = engine.rules();
    await engine.configure({
      points: [xp([{ type: 'user_creation', points: 3 }])],
    });
    await publishRules(engine.redis, config, engine.cells, engine.clock.now());
    const { outcome, rules } = await engine.users.identify(engine.rules(), 'ann', { name: 'Ann' });
    expect(outcome).toMatchObject({ isNew: true, points: [{ added: 3 }] });
    expect(rules.version).toBe(config.version + 1);
  });
});

test('a lost device token is taken from the tokens that the user has by then', async () => {
  await start({ metrics: METRICS });
  const { users, rules } = recorder.engine;
  await users.identify(rules(), 'ann', { deviceTokens: ['a', 'lost', 'b'] });
  const { user } = await users.forgetDevice(rules(), 'ann', 'lost');
  expect(user.deviceTokens).toEqual(['a', 'b']);
  expect((await users.forgetDevice(rules(), 'ann', 'lost')).outcome.status).toBe('unchanged');
  await users.identify(rules(), 'bob', { name: 'Bob' });
  expect((await users.forgetDevice(rules(), 'bob', 'lost')).user.deviceTokens).toBeNull();
  await expect(users.forgetDevice(rules(), 'nobody', 'lost')).rejects.toMatchObject({ code: 'notFound' });
});
