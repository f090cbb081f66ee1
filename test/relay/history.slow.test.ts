import { Client } from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { testCells } from '../support/cells.ts';
import { type Json, moveClock, read, record } from '../support/reading.ts';
import { allKeys } from '../support/redisData.ts';
import { startTestServer } from '../support/server.ts';
import { TestDays } from '../support/testDays.ts';
import { useServer } from '../support/useServer.ts';

/** Reads of history by HTTP, against what the answers to the events said. */

describe('with a relay', () => {
  const server = useServer({ relay: true });
  beforeAll(() => recordZoe());

  const at = (instant: string) => moveClock(server, instant);
  const get = (path: string) => read(server, path);

  /** Over days and zones, before the days of all tests. */
  async function recordZoe(): Promise<void> {
    const zoe = (tz: string) => ({ id: 'zoe', tz });
    // Friday in New York, Saturday in Tokyo.
    await at('2027-01-01T20:00:00Z');
    await record(server, zoe('Asia/Tokyo'), 1.1);
    await at('2027-01-03T03:00:00Z');
    await record(server, zoe('Asia/Tokyo'), 0.1);
    await record(server, zoe('Asia/Tokyo'), 0.1);
    // The same instant, a day earlier.
    await record(server, zoe('America/New_York'), 5);
    await at('2027-01-05T02:00:00Z');
    await record(server, zoe('America/New_York'), -2);
    await at('2027-02-01T12:00:00Z');
    await record(server, zoe('America/New_York'), 10);
  }

  test('the newest awards equal those in the responses to the events', async () => {
    const shown: Json[] = [];
    for (const value of [1, 3, 2]) {
      shown.unshift(...(await record(server, { id: 'ada' }, value)).points.xp.awards.toReversed());
    }
    expect(shown.length).toBeGreaterThan(3);
    expect((await get('/users/ada/points/xp')).awards).toEqual(shown);
    expect(await get('/users/ada/points/xp?awards=2')).toMatchObject({
      total: 65,
      awards: shown.slice(0, 2),
    });
    expect((await get('/users/ada/points/energy')).awards).toMatchObject([
      { awarded: 30, total: 30, trigger: { type: 'user_creation', points: 30 }, boosts: [] },
    ]);
  });

  test('metrics show totals and the achievements that they complete', async () => {
    await record(server, { id: 'bo' }, 2.5);
    const metrics = await get('/users/bo/metrics');
    expect(metrics.map(({ key, current }: Json) => [key, current])).toEqual([
      ['lessons', 2.5],
      ['words', 0],
      ['minutes', 0],
    ]);
    expect(await get('/users/bo/metrics/lessons')).toEqual(metrics[0]);
    const states = Object.fromEntries(
      metrics[0].achievements.map(({ key, achievedAt }: Json) => [key, achievedAt]),
    );
    expect(states).toEqual({
      'first-lesson': expect.stringMatching(/^\d{4}-.*Z$/),
      'lessons-10': null,
      'lessons-100': null,
      chatterbox: null,
      berliner: null,
      'all-skills': null,
      'busy-week': null,
    });
  });

  describe('over days and zones', () => {
    const summary = async (metric: string, aggregation: string, start: string, end: string) => {
      const query = `aggregation=${aggregation}&startDate=${start}&endDate=${end}`;
      const items = await get(`/users/zoe/${metric}/event-summary?${query}`);
      return items.map(
        ({ date, total, change }: Json) => `${date} ${total} ${change >= 0 ? '+' : ''}${change}`,
      );
    };

    test.each([
      [
        'daily',
        '2027-01-01',
        '2027-01-06',
        [
          '2027-01-01 0 +0',
          '2027-01-02 6.1 +6.1',
          '2027-01-03 6.3 +0.2',
          '2027-01-04 4.3 -2',
          '2027-01-05 4.3 +0',
          '2027-01-06 4.3 +0',
        ],
      ],
      ['daily', '2027-01-04', '2027-01-04', ['2027-01-04 4.3 -2']],
      [
        'weekly',
        '2027-01-01',
        '2027-01-12',
        ['2027-01-01 6.3 +6.3', '2027-01-04 4.3 -2', '2027-01-11 4.3 +0'],
      ],
      ['weekly', '2027-01-03', '2027-01-10', ['2027-01-03 6.3 +0.2', '2027-01-04 4.3 -2']],
      [
        'monthly',
        '2026-12-15',
        '2027-02-28',
        ['2026-12-15 0 +0', '2027-01-01 4.3 +4.3', '2027-02-01 14.3 +10'],
      ],
      ['monthly', '2027-02-02', '2027-02-03', ['2027-02-02 14.3 +0']],
      ['monthly', '0001-01-01', '0001-01-31', ['0001-01-01 0 +0']],
    ])('%s from %s to %s', async (aggregation, start, end, items) => {
      expect(await summary('metrics/lessons', aggregation, start, end)).toEqual(items);
    });

    test('point summaries add up over days and zones', async () => {
      expect(await summary('points/xp', 'daily', '2027-01-01', '2027-01-04')).toEqual([
        '2027-01-01 0 +0',
        '2027-01-02 65 +65',
        '2027-01-03 65 +0',
        '2027-01-04 65 +0',
      ]);
    });

    test('a summary covers 400 days and takes snake_case parameters', async () => {
      const days = await get(
        '/users/zoe/metrics/lessons/event-summary?aggregation=daily&start_date=2026-01-01&end_date=2027-02-04',
      );
      expect(days).toHaveLength(400);
      expect(days.at(-1)).toEqual({ date: '2027-02-04', total: 14.3, change: 0 });
    });

    test('streak history shows each period up to the current one', async () => {
      const days = await TestDays.begin(server);
      const history = async (query: string) => {
        const streak = await get(`/users/yan/streak${query}`);
        return streak.streakHistory.map(
          ({ periodEnd, length, usedFreeze }: Json) => `${periodEnd} ${length}${usedFreeze ? ' frozen' : ''}`,
        );
      };
      for (const day of [0, 1, 3, 4, 5]) {
        await days.moveTo(day);
        await record(server, { id: 'yan' });
      }
      await days.moveTo(6);
      const shown = [1, 2, '2 frozen', 3, 4, 5, 0].map((length, day) => `${days.date(day)} ${length}`);
      expect(await history('')).toEqual(shown);
      expect(await history('?historyPeriods=2')).toEqual(shown.slice(-2));
      expect(await history('?historyPeriods=0')).toEqual([]);
      expect(await history('?historyPeriods=400')).toHaveLength(400);
      expect(await get('/users/yan/streak?historyPeriods=1')).toMatchObject({
        length: 5,
        freezes: 0,
        streakHistory: [{ periodStart: days.date(6), periodEnd: days.date(6), length: 0 }],
      });
    });
  });

  test('runs of a leaderboard that have ended read the same before and after they are final', async () => {
    const days = await TestDays.begin(server, { monday: true });
    const run = days.date(0);
    const week = `/leaderboards/weekly?run=${run}`;
    const ranks = async (query = '') =>
      (await get(week + query)).rankings.map((ranked: Json) => Object.values(ranked).join(' '));
    const all = ['mia Mia 1 8', 'lee  2 5', 'kim  3 5'];
    await days.moveTo(0);
    await record(server, { id: 'lee' }, 5);
    await record(server, { id: 'mia', name: 'M' }, 3);
    await days.moveTo(2);
    await record(server, { id: 'kim' }, 5);
    await record(server, { id: 'mia' }, 2);
    await record(server, { id: 'mia' }, 3);
    await days.moveTo(7, '11:00');
    await record(server, { id: 'kim' }, 1);
    await record(server, { id: 'mia', name: 'Mia' }, 1);

    const showsTheEnd = async (): Promise<void> => {
      expect(await ranks()).toEqual(all);
      expect(await get(week)).toMatchObject({ start: run, end: days.date(6), status: 'active' });
      expect(await get(`/users/mia/leaderboards/weekly?run=${run}`)).toMatchObject({
        start: run,
        end: days.date(6),
        rank: 1,
        value: 8,
        history: [
          {
            date: days.date(2),
            timestamp: expect.stringMatching(new RegExp(`^${days.date(2)}T12:0.*Z$`)),
            // The relay may know the scores of other cells as they were a second before.
            previousRank: testCells(16).spread === 1 ? 3 : expect.toBeOneOf([2, 3]),
            rank: 1,
            previousValue: 3,
            value: 8,
          },
          { date: run, previousRank: null, rank: 2, previousValue: 0, value: 3 },
        ],
      });
      const now = await get('/users/mia/leaderboards/weekly');
      expect(now).toMatchObject({ start: days.date(7), rank: 2, value: 1, history: [{ rank: 2 }] });
      const { history, ...ranked } = await get(`/users/lee/leaderboards/weekly?run=${run}&numEvents=0`);
      expect([ranked.rank, ranked.value, history]).toEqual([2, 5, []]);
      const none = { rank: null, value: null, history: [] };
      expect(await get('/users/lee/leaderboards/weekly')).toMatchObject(none);
      expect(await get(`/users/zoe/leaderboards/weekly?run=${run}`)).toMatchObject(none);
    };
    const showsPages = async (): Promise<void> => {
      expect(await ranks()).toEqual(all);
      expect(await ranks('&limit=1&offset=1')).toEqual(all.slice(1, 2));
      expect(await ranks('&userId=lee')).toEqual(all.slice(1));
      expect(await ranks('&userId=mia&offset=2')).toEqual(all.slice(2));
      expect(await ranks('&userId=kim&neighbours=1')).toEqual(all.slice(1));
      expect(await ranks('&userId=zoe')).toEqual([]);
      expect(await ranks('&limit=0')).toEqual([]);
    };
    const keysOfRun = (): Promise<string[]> =>
      allKeys(server.redis, `{*}:*:lb:*:${Date.parse(run) / 86_400_000}:*`);

    await showsTheEnd();
    await showsPages();
    expect(await keysOfRun()).not.toEqual([]);
    // It is final 12 hours after its end in UTC, and leaves Redis.
    await days.moveTo(7, '11:59');
    expect(await keysOfRun()).not.toEqual([]);
    await days.moveTo(7);
    expect(await keysOfRun()).toEqual([]);
    await showsTheEnd();
    await showsPages();
  });

  test('points of time triggers show their due instants, even if they were awarded late', async () => {
    const days = await TestDays.begin(server);
    await days.moveTo(0, '12:30');
    await server.call('PUT', '/admin/v1/config', {
      points: [
        {
          key: 'stamina',
          name: 'Stamina',
          maxPoints: 30,
          triggers: [
            { type: 'user_creation', points: 20 },
            { type: 'time', timeUnit: 'hours', timeInterval: 6, points: 4 },
          ],
        },
      ],
    });
    await record(server, { id: 'tim', tz: 'Asia/Tokyo' }, 0);
    await days.moveTo(8, '12:30');
    const { total, awards } = await get('/users/tim/points/stamina');
    expect(total).toBe(30);
    expect(awards.map(({ date, awarded, total }: Json) => `${date} ${awarded} ${total}`)).toEqual([
      `${days.date(1)}T06:00:00.000Z 2 30`, // no more than there is room for
      `${days.date(1)}T00:00:00.000Z 4 28`,
      `${days.date(0)}T18:00:00.000Z 4 24`,
      expect.stringMatching(new RegExp(`^${days.date(0)}T12:30:.* 20 20$`)),
    ]);
    expect(new Set(awards.map(({ id }: Json) => id)).size).toBe(4);
    expect(
      await get(
        `/users/tim/points/stamina/event-summary?aggregation=daily&startDate=${days.date(0)}&endDate=${days.date(2)}`,
      ),
    ).toEqual([
      { date: days.date(0), total: 20, change: 20 },
      { date: days.date(1), total: 30, change: 10 }, // where day 1 began at 15:00 UTC of day 0
      { date: days.date(2), total: 30, change: 0 },
    ]);
  });

  describe('parameters', () => {
    const summary = 'users/ann/metrics/lessons/event-summary';
    const range = 'startDate=2027-01-01&endDate=2027-01-31';
    test.each([
      [`${summary}?${range}`, 422, /aggregation/],
      [`${summary}?aggregation=hourly&${range}`, 422, /aggregation/],
      [`${summary}?aggregation=daily&endDate=2027-01-31`, 422, /startDate/],
      [`${summary}?aggregation=daily&startDate=2027-01-01`, 422, /endDate/],
      [`${summary}?aggregation=daily&startDate=2027-02-30&endDate=2027-03-01`, 422, /startDate/],
      [`${summary}?aggregation=daily&start_date=yesterday&end_date=2027-03-01`, 422, /start_date/],
      [`${summary}?aggregation=daily&${range}&start_date=2027-01-01`, 422, /startDate.*start_date/],
      [`${summary}?aggregation=daily&startDate=2027-02-01&endDate=2027-01-31`, 422, /endDate/],
      [`${summary}?aggregation=daily&startDate=2026-01-01&endDate=2027-02-05`, 422, /endDate.*400/],
      [`users/ann/points/xp/event-summary?${range}`, 422, /aggregation/],
      ['users/ann/points/xp?awards=-1', 422, /awards/],
      ['users/ann/points/xp?awards=101', 422, /awards/],
      ['users/ann/points/xp?awards=ten', 422, /awards/],
      ['users/ann/streak?historyPeriods=401', 422, /historyPeriods/],
      ['users/ann/streak?historyPeriods=-1', 422, /historyPeriods/],
      ['users/ann/leaderboards/weekly?numEvents=101', 422, /numEvents/],
      ['users/ann/leaderboards/weekly?run=2027-13-01', 422, /run/],
      ['users/ann/leaderboards/weekly?run=2027-03-02', 404, /run/],
      ['users/ann/metrics/nothing', 404, /nothing/],
      [`users/ann/metrics/nothing/event-summary?aggregation=daily&${range}`, 404, /nothing/],
      [`users/ann/points/nothing/event-summary?aggregation=daily&${range}`, 404, /nothing/],
      ['users/nobody/metrics', 404, /nobody/],
      [`users/nobody/metrics/lessons/event-summary?aggregation=daily&${range}`, 404, /nobody/],
    ])('%s is %i', async (path, status, names) => {
      await record(server, { id: 'ann' });
      expect(await server.call('GET', `/v1/${path}`)).toMatchObject({
        status,
        body: { error: expect.stringMatching(names) },
      });
    });
  });
});

describe('a read sees earlier writes', () => {
  test('even if the relay is behind', async () => {
    const server = await startTestServer();
    try {
      await Promise.all(Array.from({ length: 50 }, (_, i) => record(server, { id: `user-${i}` })));
      const reads = Promise.all(
        Array.from({ length: 50 }, (_, i) => read(server, `/users/user-${i}/points/xp`)),
      );
      await server.startRelay();
      for (const { total, awards } of await reads) {
        expect(total).toBe(15);
        expect(awards).toMatchObject([{ total: 15 }, { total: 5 }]);
      }
      for (let i = 1; i <= 20; i++) {
        const { points } = await record(server, { id: 'ann' });
        const { awards } = await read(server, '/users/ann/points/xp?awards=1');
        expect(awards).toEqual(points.xp.awards.slice(-1));
      }
    } finally {
      await server.stop();
    }
  });

  test('or is refused if the relay takes too long; reads without history are answered', async () => {
    const server = await startTestServer({ env: { LAUREL_HISTORY_WAIT_MS: '50' } });
    const refused = async (path: string) => {
      const reply = await server.call('GET', `/v1/users/ann/${path}`);
      expect(reply).toMatchObject({ status: 503, body: { error: expect.stringContaining('history') } });
      expect(reply.headers.get('retry-after')).toBe('1');
    };
    try {
      await record(server, { id: 'ann' });
      await refused('points/xp');
      await refused('streak?historyPeriods=8');
      await refused(
        'metrics/lessons/event-summary?aggregation=daily&startDate=2027-01-01&endDate=2027-01-01',
      );
      expect(await read(server, '/users/ann/metrics/lessons')).toMatchObject({ current: 1 });
      const { length, streakHistory } = await read(server, '/users/ann/streak');
      expect([length, streakHistory.at(-1)]).toMatchObject([1, { length: 1 }]);

      // Nor does a run that is over, as long as Redis has it.
      const { start } = await read(server, '/leaderboards/weekly');
      await record(server, { id: 'bo' });
      const nextWeek = new Date(Date.parse(start) + 7.5 * 86_400_000).toISOString();
      await moveClock(server, nextWeek);
      await record(server, { id: 'bo' }, 2);
      const ranked = await read(server, `/users/bo/leaderboards/weekly?run=${start}&numEvents=0`);
      expect(ranked).toMatchObject({ rank: 2, value: 1 });
      const page = await read(server, `/leaderboards/weekly?run=${start}&userId=bo`);
      expect(page.rankings).toMatchObject([{ userId: 'bo', rank: 2, value: 1 }]);
    } finally {
      await server.stop();
    }
  });

  test('or is refused while PostgreSQL is not available', async () => {
    const server = await startTestServer();
    const admin = new Client({ connectionString: process.env.LAUREL_TEST_DATABASE_URL! });
    await admin.connect();
    const database = new URL(server.databaseUrl).pathname.slice(1);
    try {
      const relay = await server.startRelay();
      await record(server, { id: 'ann' });
      expect((await read(server, '/users/ann/points/xp')).awards).toHaveLength(2);
      await relay.stop();

      await admin.query(`alter database ${database} allow_connections false`);
      await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [
        database,
      ]);
      const reply = await server.call('GET', '/v1/users/ann/points/xp?awards=11');
      expect(reply).toMatchObject({ status: 503, body: { error: expect.stringContaining('history') } });
      expect(reply.headers.get('retry-after')).toBe('1');
      await record(server, { id: 'ann' });

      await admin.query(`alter database ${database} allow_connections true`);
      await server.startRelay();
      expect((await read(server, '/users/ann/points/xp')).awards).toHaveLength(3);
    } finally {
      await admin.query(`alter database ${database} allow_connections true`);
      await admin.end();
      await server.stop();
    }
  });
});
