import { TrophyApiClient } from '@trophyso/node';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Json, moveClock, read, record } from '../support/reading.ts';
import { API_KEY } from '../support/server.ts';
import { useServer } from '../support/useServer.ts';

/** A year in review, of events in two years. */

const server = useServer({ relay: true });
/** Points of ida in 2027, as the answers showed them. */
let gained = 0;

const ida = { id: 'ida', tz: 'Europe/London' };
const recordIda = async (value: number, metric = 'lessons', skill?: string): Promise<void> => {
  const { points } = await record(server, ida, value, metric, skill === undefined ? undefined : { skill });
  gained += points.xp?.added ?? 0;
};
const wrapped = (year?: number): Promise<Json> =>
  read(server, `/users/ida/wrapped${year === undefined ? '' : `?year=${year}`}`);

beforeAll(async () => {
  await moveClock(server, '2026-12-30T12:00:00Z');
  await recordIda(10, 'lessons', 'reading');
  gained = 0;

  await moveClock(server, '2027-01-04T12:00:00Z');
  await record(server, { id: 'bo', tz: 'UTC' }, 7);
  for (const skill of ['speaking', 'speaking', 'reading']) await recordIda(1, 'lessons', skill);
  await moveClock(server, '2027-01-05T12:00:00Z');
  await recordIda(20, 'words');
  await recordIda(1);
  await moveClock(server, '2027-01-10T12:00:00Z');
  await recordIda(1);
  await moveClock(server, '2027-02-15T12:00:00Z');
  await recordIda(1);
  await recordIda(1);
  await record(server, { id: 'cy' }, 1);
  const { body } = await server.call('POST', '/v1/achievements/profile/complete', { user: { id: 'ida' } });
  gained += body.points.xp.added;
});

describe('a year', () => {
  test('counts the days, weeks and months with events, and finds those with the most', async () => {
    const { user, activity } = await wrapped(2027);
    expect(user).toMatchObject({ id: 'ida', tz: 'Europe/London' });
    expect(activity).toMatchObject({
      daysActive: 4,
      weeksActive: 2,
      monthsActive: 2,
      mostActiveDay: { date: '2027-01-04' },
      mostActiveWeek: { start: '2027-01-04', end: '2027-01-10' },
      mostActiveMonth: { month: 0 },
    });
  });

  test('sums up metrics, against the total before and against everybody', async () => {
    const { mostActiveDay, mostActiveWeek, mostActiveMonth, entireYear } = (await wrapped(2027)).activity;
    const lessons = { name: 'Lessons completed', units: 'lessons', currentTotal: 17 };
    expect(entireYear.metrics).toEqual({
      lessons: {
        ...lessons,
        changeThisPeriod: 7,
        percentChange: 70,
        percentileThisPeriod: 100,
        byAttribute: {
          skill: {
            reading: {
              name: lessons.name,
              units: 'lessons',
              currentTotal: 11,
              changeThisPeriod: 1,
              percentChange: 10,
            },
            speaking: {
              name: lessons.name,
              units: 'lessons',
              currentTotal: 2,
              changeThisPeriod: 2,
              percentChange: 100,
            },
          },
        },
      },
      words: {
        name: 'Words learned',
        units: 'words',
        currentTotal: 20,
        changeThisPeriod: 20,
        percentChange: 100,
        percentileThisPeriod: 100,
        byAttribute: {},
      },
    });
    // bo did more in that week and month, but not cy.
    const january = { ...lessons, changeThisPeriod: 5, percentChange: 50, percentileThisPeriod: 66.67 };
    expect(mostActiveWeek.metrics.lessons).toMatchObject(january);
    expect(mostActiveMonth.metrics.lessons).toMatchObject(january);
    expect(mostActiveDay.metrics).toEqual({
      lessons: { ...lessons, changeThisPeriod: 3, percentChange: 30, byAttribute: expect.anything() },
    });
  });

  test('shows points, achievements, leaderboards and the longest streak', async () => {
    const { mostActiveWeek, entireYear } = (await wrapped(2027)).activity;
    const { total } = await read(server, '/users/ida/points/xp');
    expect(entireYear.points).toEqual({
      xp: {
        name: 'XP',
        description: expect.any(String),
        currentTotal: total,
        changeThisPeriod: gained,
        percentChange: Math.round((gained / (total - gained)) * 10_000) / 100,
        percentileThisPeriod: 100,
      },
    });
    expect(entireYear.achievements).toMatchObject([
      { key: 'profile', achievedAt: expect.stringMatching(/^2027-02-15/) },
    ]);
    expect(mostActiveWeek.achievements).toEqual([]);
    expect(mostActiveWeek.leaderboards.weekly).toMatchObject({
      start: '2027-01-04',
      end: '2027-01-10',
      rank: 2,
      value: 5,
    });
    expect(entireYear.leaderboards.weekly).toMatchObject({
      start: '2027-02-15',
      end: '2027-02-21',
      rank: 1,
      value: 2,
    });
    expect(entireYear.leaderboards['all-time']).toMatchObject({ rank: 1, value: total });
    expect(entireYear.longestStreak).toEqual({
      length: 2,
      frequency: 'daily',
      periodStart: '2027-01-05',
      periodEnd: '2027-01-05',
      started: '2027-01-04',
    });
  });

  test('that is over, or without anything', async () => {
    const { activity: last } = await wrapped(2026);
    expect(last).toMatchObject({
      daysActive: 1,
      mostActiveDay: { date: '2026-12-30' },
      mostActiveWeek: { start: '2026-12-28', end: '2026-12-31' },
      mostActiveMonth: { month: 11 },
      entireYear: {
        metrics: { lessons: { changeThisPeriod: 10, percentChange: 100 } },
        longestStreak: { length: 1, started: '2026-12-30' },
      },
    });
    expect(last.entireYear.achievements.map(({ key }: Json) => key)).toEqual(['first-lesson', 'lessons-10']);

    const nothing = { metrics: {}, points: {}, achievements: [], leaderboards: {} };
    const longestStreak = {
      length: 0,
      frequency: 'daily',
      periodStart: null,
      periodEnd: null,
      started: null,
    };
    expect((await wrapped(2020)).activity).toEqual({
      daysActive: 0,
      weeksActive: 0,
      monthsActive: 0,
      mostActiveDay: { date: '2020-01-01', ...nothing },
      mostActiveWeek: { start: '2020-01-01', end: '2020-01-05', ...nothing },
      mostActiveMonth: { month: 0, ...nothing },
      entireYear: { ...nothing, longestStreak },
    });
    for (const year of [1, 9999]) expect(await wrapped(year)).toMatchObject({ activity: { daysActive: 0 } });
  });

  test('is the current one of the user by default', async () => {
    expect(await wrapped()).toEqual(await wrapped(2027));
    await moveClock(server, '2027-12-31T12:00:00Z');
    await server.call('PUT', '/v1/users/bo', { tz: 'Pacific/Kiritimati' });
    expect((await read(server, '/users/bo/wrapped')).activity.mostActiveDay.date).toBe('2028-01-01');
  });

  test('can be read by the official client', async () => {
    const environment = { api: `${server.url}/v1`, admin: `${server.url}/admin/v1` };
    const client = new TrophyApiClient({ apiKey: API_KEY, environment });
    const { activity } = await client.users.wrapped('ida', { year: 2027 });
    expect(activity.entireYear.metrics.lessons).toMatchObject({
      changeThisPeriod: 7,
      percentileThisPeriod: 100,
    });
    expect(activity.entireYear.achievements[0]!.achievedAt).toBeInstanceOf(Date);
    expect((await client.users.wrapped('ida', { year: 2020 })).activity.entireYear.longestStreak.length).toBe(
      0,
    );
  });
});

test.each([
  ['users/ida/wrapped?year=0', 422, /year/],
  ['users/ida/wrapped?year=10000', 422, /year/],
  ['users/ida/wrapped?year=last', 422, /year/],
  ['users/nobody/wrapped', 404, /nobody/],
])('%s is %i', async (path, status, names) => {
  expect(await server.call('GET', `/v1/${path}`)).toMatchObject({
    status,
    body: { error: expect.stringMatching(names) },
  });
});
