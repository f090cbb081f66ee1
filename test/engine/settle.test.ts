import { DateTime } from 'luxon';
import { describe, expect, test } from 'vitest';
import { RememberedZones, Retries } from '../../src/engine/calls/retries.ts';
import { Settler } from '../../src/engine/calls/settler.ts';
import { createEngine as createParts } from '../../src/engine/engine.ts';
import { keys, splitTenant } from '../../src/redis/keys/redisKeys.ts';
import { Scripts } from '../../src/redis/scripts/scripts.ts';
import { dateOfDay } from '../../src/rules/calendar.ts';
import { item, items, perLesson, xp, xpBoard } from '../support/items.ts';
import { useRecorder } from '../support/recorder.ts';

/** What time alone brings, as dated cases worked out by hand. */
const recorder = useRecorder();
const { start, at, record, recorded, read, ranking } = recorder;

const METRICS = items('lessons');
const DAILY = { metrics: [{ key: 'lessons', threshold: 1 }] };
/** Before everything; time triggers begin when they are made. */
const FIRST = '2026-11-01T00:00:00Z';
const board = { board: 1, run: 0, group: '' };

async function sweep(): Promise<void> {
  const { engine } = recorder;
  await engine.sweep.run(engine.clock.now());
}

/** Due times by user. */
async function due(): Promise<Record<string, string>> {
  const { redis, tenantCells } = recorder.engine;
  const found: Record<string, string> = {};
  for (const cell of tenantCells) {
    const flat = await redis.zrange(keys.due(cell), '0', '-1', 'WITHSCORES');
    for (let i = 0; i < flat.length; i += 2)
      found[splitTenant(flat[i]!).what] = new Date(Number(flat[i + 1]) * 1000).toISOString();
  }
  return found;
}

describe('a streak', () => {
  const streaks = { key: 'streaks', name: 'Streaks', rankBy: 'streak', start: '1970-01-01' };

  test.each([
    // zone, extended at, over at
    ['Europe/London', '2026-11-18T12:00:00', '2026-11-20T00:00:00'],
    ['Europe/London', '2026-03-28T12:00:00', '2026-03-30T00:00:00'],
    ['America/Havana', '2026-10-31T12:00:00', '2026-11-02T00:00:00'],
    ['Africa/Cairo', '2026-04-22T12:00:00', '2026-04-24T01:00:00'], // where midnight is skipped
    ['Pacific/Kiritimati', '2026-12-30T12:00:00', '2027-01-01T00:00:00'],
  ])('in %s, extended at %s, is over at %s, and leaves its leaderboard', async (tz, extended, over) => {
    await start({ metrics: METRICS, streak: DAILY, leaderboards: [streaks] });
    at(extended, tz);
    await recorded({ id: 'ann', tz });
    const end = DateTime.fromISO(over, { zone: tz }).toMillis();
    expect(await due()).toEqual({ ann: new Date(end).toISOString() });
    recorder.engine.clock.set(end - 1);
    await sweep();
    expect(await ranking(board)).toBe('ann 1');
    expect((await read('ann')).streaks.daily.length).toBe(1);
    recorder.engine.clock.set(end);
    await sweep();
    expect(await ranking(board)).toBe('');
    expect((await read('ann')).streaks.daily).toMatchObject({ length: 0, lostLength: 1 });
    expect(await due()).toEqual({});
  });

  test.each([
    ['weekly', '2026-11-18', '2026-11-30'],
    ['monthly', '2026-11-18', '2027-01-01'],
    ['monthly', '2028-01-31', '2028-03-01'],
  ])('that is %s, extended on %s, is over on %s', async (frequency, extended, over) => {
    await start({ metrics: METRICS, streak: { ...DAILY, frequency } });
    at(`${extended}T12:00:00Z`);
    await recorded('ann');
    expect(await due()).toEqual({ ann: `${over}T00:00:00.000Z` });
  });

  test('is not preserved by switching between zones', async () => {
    await start({ metrics: METRICS, streak: DAILY });
    at('2026-11-18T12:00:00Z');
    await recorded({ id: 'ann', tz: 'Pacific/Kiritimati' });
    const { engine } = recorder;
    const lengths = [];
    for (let hour = 1; hour <= 72; hour++) {
      engine.clock.set(Date.parse('2026-11-18T12:00:00Z') + hour * 3_600_000);
      const tz = hour % 2 === 0 ? 'Pacific/Kiritimati' : 'Pacific/Pago_Pago';
      lengths.push((await engine.users.identify(engine.rules(), 'ann', { tz })).user.streaks.daily.length);
    }
    // Extended on the 19th of Kiritimati; the 20th ends on Pago Pago at 11:00 UTC of the 21st.
    expect(lengths.indexOf(0)).toBe(70);
    expect(lengths.slice(70)).toEqual([0, 0]);
  });

  test('has length 0 while streaks are switched off, on its leaderboard too, and goes on if it has not ended', async () => {
    await start({ metrics: METRICS, streak: DAILY, leaderboards: [streaks] });
    // Equal scores of one instant are in the order of their cells.
    const ranked = async () => (await ranking(board)).split(', ').sort().join(', ');
    at('2026-11-18T12:00:00Z');
    for (const id of ['ann', 'bob']) await recorded(id);
    expect(await ranked()).toBe('ann 1, bob 1');
    await recorder.engine.configure({ streak: { ...DAILY, enabled: false } });
    await sweep();
    expect(await ranking(board)).toBe('');
    expect(await recorded('ann')).toMatchObject({ streak: { length: 0 } });
    at('2026-11-19T12:00:00Z');
    await recorder.engine.configure({ streak: DAILY });
    await sweep();
    expect(await ranked()).toBe('ann 1, bob 1');
    await recorder.engine.configure({ streak: { ...DAILY, enabled: false } });
    at('2026-11-20T12:00:00Z');
    await sweep();
    expect(await ranking(board)).toBe('');
    await recorder.engine.configure({ streak: DAILY });
    await sweep();
    expect(await ranking(board)).toBe('');
    expect((await read('bob')).streaks.daily).toMatchObject({ length: 0, lostLength: 1 });
  });

  test('that was lost before its user moved west stays lost', async () => {
    for (const looks of [true, false]) {
      if (looks) await start({ metrics: METRICS, streak: DAILY });
      const id = `ann-${looks}`;
      at('2026-11-18T12:00:00', 'Pacific/Auckland');
      await recorded({ id, tz: 'Pacific/Auckland' });
      at('2026-11-20T00:00:01', 'Pacific/Auckland');
      if (looks) await sweep();
      expect(await recorded({ id, tz: 'Pacific/Honolulu' })).toMatchObject({
        streak: { length: 1 },
        extended: true,
      });
    }
  });
});

describe('freezes', () => {
  test('are given initially, used at midnight, and earned every few days up to the maximum', async () => {
    const freezes = { startCount: 1, maxCount: 2, autoEarnInterval: 3, autoEarnAmount: 2 };
    await start({ metrics: METRICS, streak: { ...DAILY, freezes } });
    at('2026-11-01T12:00:00Z');
    await recorded('ann');
    const days = [];
    for (let day = 2; day <= 12; day++) {
      at(`2026-11-${String(day).padStart(2, '0')}T00:00:00Z`);
      await sweep();
      const { freezes: left, streaks } = await read('ann');
      days.push(`${day}: ${streaks.daily.length}, ${left}`);
    }
    expect(days).toEqual([
      '2: 1, 1',
      '3: 1, 0', // for the 2nd
      '4: 1, 1', // two earned, one used
      '5: 1, 0',
      '6: 0, 0', // the 5th was missed, and nothing was left
      '7: 0, 2',
      '8: 0, 2',
      '9: 0, 2',
      '10: 0, 2', // no more than two
      '11: 0, 2',
      '12: 0, 2',
    ]);
  });

  test('are earned from the first extension of the streak, not from the creation of the user', async () => {
    await start({
      metrics: METRICS,
      streak: { ...DAILY, freezes: { startCount: 0, maxCount: 2, autoEarnInterval: 3, autoEarnAmount: 1 } },
    });
    const { engine } = recorder;
    at('2026-11-01T12:00:00Z');
    await engine.users.identify(engine.rules(), 'ann', { name: 'Ann' });
    expect(await due()).toEqual({});
    at('2026-11-05T12:00:00Z');
    expect((await read('ann')).freezes).toBe(0);
    await recorded('ann');
    at('2026-11-07T12:00:00Z');
    await recorded('ann');
    expect((await read('ann')).freezes).toBe(0);
    at('2026-11-08T00:00:00Z');
    await sweep();
    expect((await read('ann')).freezes).toBe(1);
  });

  test('are not used for periods before the frequency took effect', async () => {
    const freezes = { startCount: 3, maxCount: 3 };
    await start({ metrics: METRICS, streak: { ...DAILY, frequency: 'monthly', freezes } });
    at('2026-11-18T12:00:00Z');
    for (const id of ['ann', 'bob']) await recorded(id);
    at('2026-11-20T12:00:00Z');
    await recorded('ann', 0);
    await recorder.engine.configure({ streak: { ...DAILY, freezes } });
    await sweep();
    for (const id of ['ann', 'bob']) {
      expect(await read(id), id).toMatchObject({
        freezes: 3,
        streaks: { daily: { length: 0, lostLength: 1 } },
      });
    }
  });
});

describe('time triggers', () => {
  const energy = (...triggers: object[]) => [
    {
      key: 'energy',
      name: 'Energy',
      maxPoints: 10,
      triggers: [{ type: 'user_creation', points: 1 }, ...triggers],
    },
  ];
  const total = async (userId: string) => (await read(userId)).points.get(1);

  test('award points up to the maximum', async () => {
    const spend = perLesson(-5);
    await start({
      metrics: METRICS,
      points: energy({ type: 'time', timeUnit: 'hours', timeInterval: 4, points: 3 }, spend),
    });
    at('2026-11-18T13:30:00Z');
    await recorded('ann', 0);
    const totals = [];
    for (const hour of ['15:59:59', '16:00:00', '20:00:00', '23:59:59']) {
      at(`2026-11-18T${hour}Z`);
      totals.push(await total('ann'));
    }
    expect(totals).toEqual([1, 4, 7, 7]);
    at('2026-11-25T00:00:00Z');
    await sweep();
    expect(await due()).toEqual({});
    expect(await total('ann')).toBe(10);
    expect(await recorded('ann')).toMatchObject({ points: [{ added: -5, total: 5 }] });
    expect(await due()).toEqual({ ann: '2026-11-25T04:00:00.000Z' });
  });

  test('in days are due at local midnight, once a date', async () => {
    await start(
      { metrics: METRICS, points: energy({ type: 'time', timeUnit: 'days', timeInterval: 1, points: 1 }) },
      FIRST,
    );
    at('2026-11-18T12:00:00', 'Pacific/Auckland');
    await recorded({ id: 'ann', tz: 'Pacific/Auckland' }, 0);
    at('2026-11-19T00:00:00', 'Pacific/Auckland');
    expect(await total('ann')).toBe(2);
    // West, where the 19th begins a second time.
    await recorded({ id: 'ann', tz: 'Pacific/Honolulu' }, 0);
    at('2026-11-19T12:00:00', 'Pacific/Honolulu');
    expect(await total('ann')).toBe(2);
    at('2026-11-20T00:00:00', 'Pacific/Honolulu');
    expect(await total('ann')).toBe(3);
  });

  test('that are settled late count for the run and boost of their due hour', async () => {
    const day = item('day', { rankBy: 'points', points: 'energy', runUnit: 'day', runInterval: 1 });
    const points = [
      { ...energy({ type: 'time', timeUnit: 'hours', timeInterval: 6, points: 1 })[0], maxPoints: 1_000 },
    ];
    const boosts = [{ name: 'Triple', start: '2026-11-20', end: '2026-11-20', multiplier: 3 }];
    await start({
      metrics: METRICS,
      points: [{ ...points[0], boosts }],
      leaderboards: [{ ...day, start: '2026-11-01' }],
    });
    at('2026-11-18T12:00:00Z');
    await recorded('ann', 0);
    at('2026-11-21T12:00:00Z');
    await sweep();
    const scores = [];
    for (const run of [20775, 20776, 20777, 20778])
      scores.push(`${dateOfDay(run)} ${await ranking({ ...board, run })}`);
    expect(scores).toEqual(['2026-11-18 ann 2', '2026-11-19 ann 4', '2026-11-20 ann 12', '2026-11-21 ann 3']);
    expect(await total('ann')).toBe(1 + 1 + 4 + 12 + 3);
  });

  test('apply to users who match the filter, from then on', async () => {
    const trigger = {
      type: 'time',
      timeUnit: 'hours',
      timeInterval: 1,
      points: 1,
      userAttributes: { city: 'london' },
    };
    await start({
      metrics: METRICS,
      attributes: { user: items('city') },
      points: energy(trigger),
    });
    at('2026-11-18T12:00:00Z');
    await recorded('ann', 0);
    at('2026-11-18T15:30:00Z');
    await recorded({ id: 'ann', attributes: { city: 'london' } }, 0);
    at('2026-11-18T17:00:00Z');
    expect(await total('ann')).toBe(3);
  });

  test('that are new apply to all users, from their creation on', async () => {
    await start({ metrics: METRICS, points: energy() });
    await recorded('ann', 0);
    await sweep();
    at('2026-11-20T12:30:00Z');
    await recorder.engine.configure({
      points: energy({ type: 'time', timeUnit: 'hours', timeInterval: 1, points: 2 }),
    });
    await sweep();
    expect(await due()).toEqual({ ann: '2026-11-20T13:00:00.000Z' });
    at('2026-11-20T14:00:00Z');
    expect(await total('ann')).toBe(5);
  });

  describe('that are new while no worker is up begin with their publication', () => {
    const hourly = { type: 'time', timeUnit: 'hours', timeInterval: 1, points: 1 };
    const beginAt = async (time: string, ...triggers: object[]) => {
      at(time);
      await recorder.engine.configure({ points: energy(...triggers) });
    };

    test.each<[settledBy: string, come: () => Promise<unknown>]>([
      ['for a user who sends an event', () => recorded('ann', 0)],
      ['for a user who is read', () => read('ann')],
      ['for a user who repeats an event', () => record('ann', 0, 'once')],
      ['for a user whom the sweep settles later', () => sweep()],
    ])('%s', async (_, come) => {
      await start({ metrics: METRICS, points: energy() });
      at('2026-11-18T12:10:00Z');
      await record('ann', 0, 'once');
      await beginAt('2026-11-18T12:30:00Z', hourly);
      at('2026-11-18T17:45:00Z');
      await come();
      expect(await total('ann')).toBe(1 + 5);
      expect(await due()).toEqual({ ann: '2026-11-18T18:00:00.000Z' });
    });

    test('users with a daily one, at their own midnights', async () => {
      await start({ metrics: METRICS, points: energy() });
      at('2026-11-18T12:00:00', 'Asia/Tokyo');
      await recorded({ id: 'ann', tz: 'Asia/Tokyo' }, 0);
      await beginAt('2026-11-18T22:00:00', { type: 'time', timeUnit: 'days', timeInterval: 1, points: 2 });
      at('2026-11-20T22:00:00Z');
      await recorded('ann', 0);
      expect(await total('ann')).toBe(1 + 2 * 2);
    });

    test('users who came under other rules since, once', async () => {
      await start({ metrics: METRICS, points: energy() });
      at('2026-11-18T12:10:00Z');
      await recorded('ann', 0);
      await beginAt('2026-11-18T12:30:00Z', hourly);
      at('2026-11-18T14:30:00Z');
      await recorded('ann', 0);
      // Nothing about time changes, and then everything: each begins where it was put in force.
      await recorder.engine.configure({ metrics: items('more') });
      at('2026-11-18T15:30:00Z');
      expect(await total('ann')).toBe(1 + 3);
      await beginAt('2026-11-18T16:30:00Z', { ...hourly, points: 2 });
      at('2026-11-18T19:30:00Z');
      await recorded('ann', 0);
      // At 16:00 by the rules that held when somebody looked: those of the trigger that begins at 16:30.
      expect(await total('ann')).toBe(1 + 3 + 6);
    });
  });
});

describe('a user who is settled late', () => {
  const trigger = { type: 'time', timeUnit: 'hours', timeInterval: 1, points: 1 };
  const points = [xp([trigger])];
  const board = xpBoard('xp', { name: 'XP', start: '2026-01-01' });
  const MONTH_HOURS = 30 * 24;

  const boards = (count: number) => Array.from({ length: count }, (_, i) => ({ ...board, key: `xp-${i}` }));

  /** Counts what it asks of Redis. */
  class CountedScripts extends Scripts {
    calls = 0;
    override settleUsers(...call: Parameters<Scripts['settleUsers']>) {
      this.calls++;
      return super.settleUsers(...call);
    }
  }

  test.each([
    ['a month of hours costs as many calls as days', {}, 8, [2, 39]],
    ['also of one user where a leaderboard ranks them', { leaderboards: [board] }, 1, [2, 39]],
    // A step is estimated at 400 microseconds, a call at 8,000.
    [
      'calls are shorter where a step costs more',
      { leaderboards: boards(40) },
      1,
      [MONTH_HOURS / 20, MONTH_HOURS / 10],
    ],
  ])('%s', async (_, more, users, [callsMin, callsMax]) => {
    await start({ metrics: METRICS, points, ...more }, FIRST);
    const ids = Array.from({ length: users }, (_, i) => `user-${i}`);
    at('2026-11-01T12:30:00Z');
    for (const id of ids) await recorded(id, 0);
    at('2026-12-01T12:30:00Z');
    const { engine } = recorder;
    const scripts = new CountedScripts(engine.redis, engine.cells);
    const { rulesStore, clock } = engine;
    const retries = new Retries({ rulesStore, zones: new RememberedZones(), clock, settling: null });
    const settler = new Settler({ scripts, retries, cells: engine.cells });
    const first = Date.parse('2026-11-01T13:00:00Z') / 1000;
    await settler.settle(
      engine.rules(),
      ids.map((userId) => ({ userId, due: first })),
      engine.clock.now(),
    );
    // A call settles users of one cell.
    const cells = new Set(ids.map(engine.cellOf)).size;
    expect(scripts.calls).toBeGreaterThanOrEqual(callsMin! * cells);
    expect(scripts.calls).toBeLessThanOrEqual(callsMax! * cells);
    for (const id of ids) expect((await read(id)).points.get(1)).toBe(MONTH_HOURS);
    if ('leaderboards' in more)
      expect(await ranking({ board: 1, run: 20454, group: '' })).toBe(`user-0 ${MONTH_HOURS}`);
    else expect(await engine.rankingNames()).toEqual([]);
  });

  test('ranks as if settled on time', async () => {
    const pace = (timeInterval: number, points: number, name: string) => {
      return { ...trigger, timeInterval, points, userAttributes: { pace: name } };
    };
    const triggers = [pace(1, 1, 'steady'), pace(4, 5, 'leaping')];
    const attributes = { user: items('pace') };
    const system = xp(triggers, { maxPoints: 10 });
    await start(
      { metrics: METRICS, attributes, points: [system], leaderboards: [{ ...board, maxParticipants: 1 }] },
      FIRST,
    );
    at('2026-11-18T00:30:00Z');
    for (const name of ['steady', 'leaping']) await recorded({ id: name, attributes: { pace: name } }, 0);
    at('2026-11-19T00:00:00Z');
    await sweep();
    // At 04:00 it is 5 to 4, which takes the only place; at 10:00 both have 10, and the user who has a place
    // keeps it.
    expect(await ranking({ board: 1, run: 20454, group: '' })).toBe('leaping 10');
  });
});

test('two parallel sweeps with events between them have every effect once', async () => {
  const trigger = { type: 'time', timeUnit: 'hours', timeInterval: 1, points: 1 };
  await start({ metrics: METRICS, streak: DAILY, points: [xp([trigger])] }, FIRST);
  at('2026-11-18T00:30:00Z');
  const { engine } = recorder;
  const users = Array.from({ length: 60 }, (_, i) => `user-${i}`);
  await Promise.all(users.map((id) => record({ id, tz: ['Asia/Tokyo', 'Europe/London'][id.length % 2]! })));
  at('2026-11-20T12:15:00Z');
  const twin = createParts(engine).sweep;
  const now = engine.clock.now();
  await Promise.all([
    engine.sweep.run(now),
    twin.run(now),
    ...users.slice(0, 20).map((id) => recorded(id, 0)),
  ]);
  for (const id of users) {
    const { points, streaks } = await read(id);
    expect(points.get(1), id).toBe(60);
    expect(streaks.daily.length, id).toBe(0);
  }
});
