import { DateTime } from 'luxon';
import { describe, expect, test } from 'vitest';
import type { Changes, Outcome } from '../../src/redis/decoding/outcome.ts';
import { keys } from '../../src/redis/keys/redisKeys.ts';
import { readUserStates } from '../../src/redis/state/currentStates.ts';
import { achievement, item, items, xp } from '../support/items.ts';
import { useRecorder } from '../support/recorder.ts';

/** Achievements that complete so many years after the sign-up date of a user. */
const recorder = useRecorder();
const { start, at, record, read } = recorder;

const METRICS = items('lessons');
/** Days on which the zones of the test change to daylight saving and back, and the days around a leap day. */
const CHANGES = [
  '2026-03-01',
  '2026-03-08',
  '2026-03-29',
  '2026-04-05',
  '2026-04-24',
  '2026-10-04',
  '2026-10-25',
  '2026-10-30',
  '2026-11-01',
];
const toIso = (ms: number): string => new Date(ms).toISOString();
const year = (years: number, rest: object = {}): object => ({
  key: `year-${years}`,
  name: `Year ${years}`,
  trigger: 'anniversary',
  anniversaryYears: years,
  ...rest,
});

async function sweepUntil(instant: number): Promise<void> {
  recorder.engine.clock.set(instant);
  await recorder.engine.sweep.run(instant);
}

/** Keys of the achievements that the user has, with the instant of each. */
async function completed(userId: string): Promise<Record<string, string>> {
  const { achievements } = await read(userId);
  const keyOf = (no: number): string => recorder.engine.rules().byNo('achievements', no).key;
  return Object.fromEntries(Array.from(achievements, ([no, ms]) => [keyOf(no), new Date(ms).toISOString()]));
}

function changes(outcome: Outcome): Changes {
  if (outcome.status !== 'recorded') throw new Error(`the outcome is ${outcome.status}`);
  return outcome;
}

async function identify(userId: string, profile: object): Promise<Outcome> {
  return (await recorder.engine.users.identify(recorder.engine.rules(), userId, profile)).outcome;
}

describe('the day of an anniversary', () => {
  test.each([
    // zone, sign-up date, years, completed at
    ['Europe/London', '2024-02-29', 1, '2025-03-01T00:00:00'],
    ['Europe/London', '2024-02-29', 4, '2028-02-29T00:00:00'],
    ['Asia/Tokyo', '2024-02-28', 1, '2025-02-28T00:00:00'],
    ['Asia/Tokyo', '2023-03-01', 1, '2024-03-01T00:00:00'],
    ['Pacific/Kiritimati', '2023-12-31', 1, '2024-12-31T00:00:00'],
    ['Africa/Cairo', '2024-04-24', 2, '2026-04-24T01:00:00'], // where midnight is skipped
    ['America/Havana', '2024-11-01', 2, '2026-11-01T00:00:00-04:00'], // where midnight comes twice
    ['Australia/Lord_Howe', '2024-10-04', 2, '2026-10-04T00:00:00'],
    ['Europe/London', '1896-02-29', 130, '2026-03-01T00:00:00'],
  ])('in %s begins for %s after %i years at %s', async (tz, signUpDate, years, due) => {
    const instant = DateTime.fromISO(due, { zone: tz }).toMillis();
    await start({ metrics: METRICS, achievements: [year(years)] });
    recorder.engine.clock.set(instant - 40 * 86_400_000);
    await identify('ann', { tz, signUpDate });
    await sweepUntil(instant - 1_000);
    expect(await completed('ann')).toEqual({});
    await sweepUntil(instant);
    expect(await completed('ann')).toEqual({ [`year-${years}`]: new Date(instant).toISOString() });
  });

  test('is exact for every date of a leap year, in zones with both changes of daylight saving, after one late sweep', async () => {
    const zones = [
      'Europe/London',
      'America/Los_Angeles',
      'America/Havana',
      'Africa/Cairo',
      'Australia/Lord_Howe',
    ];
    await start({ metrics: METRICS, achievements: [year(2)] });
    at('2025-12-25T00:00:00', 'utc');
    const { engine } = recorder;
    const expected = new Map<string, string>();
    const begun: Promise<unknown>[] = [];
    for (let date = DateTime.utc(2024, 1, 1); date.year === 2024; date = date.plus({ days: 1 })) {
      // Each date in one of the zones, and in all of them around the changes.
      const isNear = CHANGES.some(
        (change) => Math.abs(date.set({ year: 2026 }).diff(DateTime.fromISO(change)).as('days')) <= 2,
      );
      const used = zones.filter((_, i) => isNear || (date.ordinal + i) % zones.length === 0);
      for (const tz of used) {
        const userId = `${date.toISODate()} ${tz}`;
        const isLeapDay = date.month === 2 && date.day === 29;
        const day = isLeapDay ? { month: 3, day: 1 } : { month: date.month, day: date.day };
        const midnight = DateTime.fromObject({ year: 2026, ...day }, { zone: tz }).startOf('day');
        // Where midnight comes twice, the day begins with the first one.
        const earlier = midnight.minus({ hours: 1 });
        expected.set(userId, toIso((earlier.day === day.day ? earlier : midnight).toMillis()));
        begun.push(engine.users.identify(engine.rules(), userId, { tz, signUpDate: date.toISODate()! }));
      }
    }
    await Promise.all(begun);
    await sweepUntil(Date.UTC(2027, 0, 2));
    const userIds = [...expected.keys()];
    const states = await readUserStates(engine.redis, engine.tenant, engine.cells, userIds);
    const found = userIds.map((userId, i) => [
      userId,
      ...Array.from(states[i]!.achievements.values(), toIso),
    ]);
    expect(found).toEqual([...expected]);
  });

  test('comes with the move to a zone in which it has begun', async () => {
    await start({ metrics: METRICS, achievements: [year(1)] });
    at('2026-05-09T12:00:00', 'utc');
    await identify('ann', { tz: 'America/Los_Angeles', signUpDate: '2025-05-10' });
    await sweepUntil(Date.UTC(2026, 4, 9, 20));
    await identify('ann', { tz: 'Pacific/Auckland' });
    await sweepUntil(Date.UTC(2026, 4, 9, 20, 1));
    expect(await completed('ann')).toEqual({ 'year-1': '2026-05-09T20:00:01.000Z' });
  });
});

describe('an anniversary that was earned earlier completes silently', () => {
  const file = {
    metrics: METRICS,
    achievements: [
      year(1),
      year(2),
      year(3),
      item('both', { trigger: 'achievement', achievements: ['year-1', 'year-2'] }),
    ],
    points: [xp([2, 3].map((years) => ({ type: 'achievement', achievement: `year-${years}`, points: 5 })))],
  };

  test('when the sign-up date is set, without points', async () => {
    await start(file);
    at('2026-06-01T09:00:00', 'utc');
    const outcome = changes(await identify('ann', { signUpDate: '2024-06-01' }));
    expect([outcome.completed, outcome.completedSilently.length, outcome.points]).toEqual([[], 3, []]);
    expect(Object.keys(await completed('ann')).sort()).toEqual(['both', 'year-1', 'year-2']);
  });

  test('with the event that sets the sign-up date, apart from what the event completes', async () => {
    await start({
      ...file,
      achievements: [...file.achievements, achievement('one', 1)],
    });
    at('2026-06-01T09:00:00', 'utc');
    const outcome = changes(await record({ id: 'ann', signUpDate: '2025-01-01' }));
    expect([outcome.completed.length, outcome.completedSilently.length]).toEqual([1, 1]);
    expect(Object.keys(await completed('ann')).sort()).toEqual(['one', 'year-1']);
  });

  test('when it is activated', async () => {
    await start({ metrics: METRICS, achievements: [year(1, { status: 'locked' })] });
    at('2026-06-01T09:00:00', 'utc');
    await identify('ann', { signUpDate: '2024-06-01' });
    await identify('bo', { signUpDate: '2026-05-31' });
    await recorder.engine.configure({ metrics: METRICS, achievements: [year(1)] });
    const rules = await recorder.engine.rulesStore.load(recorder.engine.tenant);
    const { outcome } = await recorder.engine.users.activate(rules, 'ann', []);
    await recorder.engine.users.activate(rules, 'bo', []);
    expect(outcome.status === 'unchanged' || changes(outcome).completed.length === 0).toBe(true);
    expect(Object.keys(await completed('ann'))).toEqual(['year-1']);
    expect(await completed('bo')).toEqual({});
  });

  test('but not what something else has opened in the same change', async () => {
    await start({
      attributes: { user: items('plan') },
      metrics: METRICS,
      achievements: [
        year(1),
        achievement('first', 1),
        {
          ...item('pro', { trigger: 'achievement', achievements: ['first'] }),
          userAttributes: { plan: 'pro' },
        },
        item('after', { trigger: 'achievement', achievements: ['year-1'] }),
      ],
    });
    at('2026-06-01T09:00:00', 'utc');
    await record('ann');
    const user = { id: 'ann', signUpDate: '2025-05-01', attributes: { plan: 'pro' } };
    const { completed, completedSilently } = changes(await record(user));
    const keysOf = (numbers: number[]): string[] =>
      numbers.map((no) => recorder.engine.rules().byNo('achievements', no).key).sort();
    expect([keysOf(completed), keysOf(completedSilently)]).toEqual([['pro'], ['after', 'year-1']]);
  });

  test('and awards its points only on the day', async () => {
    await start(file);
    at('2026-06-01T09:00:00', 'utc');
    await identify('ann', { signUpDate: '2024-06-01' });
    await sweepUntil(Date.UTC(2027, 5, 1));
    expect(await completed('ann')).toMatchObject({ 'year-3': '2027-06-01T00:00:00.000Z' });
    expect([...(await read('ann')).points.values()]).toEqual([5]);
  });
});

test('a later sign-up date or none revokes nothing, and nobody without one is due', async () => {
  await start({ metrics: METRICS, achievements: [year(1)] });
  at('2026-06-01T09:00:00', 'utc');
  await identify('ann', { signUpDate: '2024-06-01' });
  await identify('ann', { signUpDate: '2026-06-01' });
  expect(Object.keys(await completed('ann'))).toEqual(['year-1']);
  await identify('ann', { signUpDate: null });
  expect(Object.keys(await completed('ann'))).toEqual(['year-1']);
  await identify('bo', { name: 'Bo' });
  await identify('cy', { signUpDate: '2026-06-01' });
  const { redis, cellOf } = recorder.engine;
  const cell = cellOf('cy');
  expect(await redis.zcard(keys.due(cell))).toBe(1);
  await identify('cy', { signUpDate: null });
  expect(await redis.zcard(keys.due(cell))).toBe(0);
});

test('only users with the attributes of an anniversary complete it', async () => {
  const filter = { userAttributes: { plan: 'pro' } };
  await start({
    attributes: { user: items('plan') },
    metrics: METRICS,
    achievements: [year(1, filter)],
  });
  at('2026-06-01T09:00:00', 'utc');
  await identify('ann', { signUpDate: '2024-06-01' });
  expect(await completed('ann')).toEqual({});
  await identify('ann', { attributes: { plan: 'pro' } });
  await sweepUntil(Date.UTC(2026, 5, 1, 10));
  expect(Object.keys(await completed('ann'))).toEqual(['year-1']);
});
