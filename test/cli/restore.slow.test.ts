import type { Redis } from 'ioredis';
import { beforeAll, describe, expect, test } from 'vitest';
import { cellsOf } from '../../src/base/cells.ts';
import { noProgress, type Progress } from '../../src/base/progress.ts';
import { check } from '../../src/commands/check/check.ts';
import { type RestoreOptions, restore } from '../../src/commands/restore/restore.ts';
import { foldRelayedStates } from '../../src/engine/recovery/foldSnapshots.ts';
import { keys } from '../../src/redis/keys/redisKeys.ts';
import { USER_PART } from '../../src/redis/lua/scriptConstants.ts';
import { readRelayLag } from '../../src/redis/state/relayProgress.ts';
import { readSharedTime } from '../../src/redis/state/sharedClock.ts';
import { testCells } from '../support/cells.ts';
import { hotValues } from '../support/hotValues.ts';
import { achievement, item, items, metricBoard, WEEKLY, xp, xpBoard } from '../support/items.ts';
import { runLaurel } from '../support/laurelCommand.ts';
import { Random } from '../support/random.ts';
import { allKeys, emptyRedis } from '../support/redisData.ts';
import type { Reply, TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { useServer } from '../support/useServer.ts';

const CELLS = testCells(4);
const USERS = Array.from({ length: 24 }, (_, i) => `user-${i}`);
const DAYS = 8;
const CITIES = ['london', 'são paulo', 'a,3:b'];

/** Something of everything that a user's state can hold. */
const config = (idempotencyWindowSeconds: number | null): object => ({
  settings: { defaultTimeZone: 'Europe/Berlin', idempotencyWindowSeconds },
  attributes: { user: items('city'), event: items('device') },
  metrics: items('lessons', 'minutes'),
  streak: { enabled: true, metrics: [{ key: 'lessons', threshold: 3 }] },
  achievements: [
    achievement('ten', 10),
    achievement('mobile', 9, { eventAttributes: { device: 'phone' } }),
    item('steady', { trigger: 'streak', streakLength: 3 }),
    item('profile', { trigger: 'api' }),
    item('both', { trigger: 'achievement', achievements: ['ten', 'profile'] }),
  ],
  points: [
    xp(
      [
        { type: 'metric', metric: 'lessons', metricThreshold: 2, points: 3 },
        { type: 'achievement', achievement: 'profile', points: 50 },
      ],
      { maxPoints: 400, levels: [item('novice', { points: 0 }), item('expert', { points: 60 })] },
    ),
  ],
  leaderboards: [
    metricBoard('weekly', { ...WEEKLY, start: '2026-11-16' }),
    metricBoard('small', { metric: 'minutes', maxParticipants: 5, start: '2026-11-01' }),
    xpBoard('city', { breakdownAttributes: ['city'], start: '2026-11-01' }),
    { key: 'streaks', name: 'Streaks', rankBy: 'streak', start: '2026-11-01' },
  ],
});

const START = Date.parse('2099-11-16T08:00:00Z');
const FIRST_RUN = Math.floor(START / 86_400_000);

describe.each([null, 7 * 86_400])('an installation with an idempotency window of %s s', (windowSeconds) => {
  const server = useServer({
    config: config(windowSeconds),
    env: { LAUREL_CELLS: String(CELLS.count) },
    relay: true,
  });
  let redis: Redis;
  const keysUsed: { user: string; key: string; at: number; eventId: string }[] = [];
  let now = START;

  beforeAll(async () => {
    ({ redis } = server);
    await live();
  });

  /**
   * Eight days of users who do all kinds of things, so that two weeks have their rankings, and the first is
   * not final yet.
   */
  async function live(): Promise<void> {
    const random = new Random(20_261_121);
    for (let day = 0; day < DAYS; day++) {
      now = START + day * 86_400_000;
      await server.call('POST', '/admin/v1/test-clock', { now: new Date(now).toISOString() });
      for (const id of USERS) {
        if (random.chance(0.3)) continue;
        const city = random.chance(0.3) ? { attributes: { city: random.pick(CITIES) } } : {};
        const tz = random.chance(0.2) ? { tz: random.pick(['America/New_York', 'Asia/Tokyo']) } : {};
        const event = {
          user: { id, name: `Ñame of ${id}`, ...city, ...tz },
          value: random.int(1, 3),
          ...(random.chance(0.5) ? { attributes: { device: random.pick(['phone', 'tv']) } } : {}),
        };
        const key = `${id}-${day}`;
        const headers = { 'Idempotency-Key': key };
        const { body } = await expectStatus(201, 'POST', '/v1/metrics/lessons/event', event, headers);
        keysUsed.push({ user: id, key, at: now, eventId: body.eventId });
        await expectStatus(201, 'POST', '/v1/metrics/minutes/event', {
          user: { id },
          value: random.int(-2, 5),
        });
        if (random.chance(0.1))
          await expectStatus(201, 'POST', '/v1/achievements/profile/complete', { user: { id } });
        if (random.chance(0.1)) await server.call('PATCH', `/v1/users/${id}`, { email: `${id}@example.com` });
      }
    }
    // Reads settle users: streaks that are over leave the leaderboards.
    await readAll();
    await isRelayed();
  }

  async function expectStatus(status: number, ...call: Parameters<TestServer['call']>): Promise<Reply> {
    const reply = await server.call(...call);
    expect(reply).toMatchObject({ status });
    return reply;
  }

  async function expectNoDifference(): Promise<void> {
    await isRelayed();
    await foldRelayedStates(server.pool, { wait: true });
    const report = await check({ pool: server.pool, redis, progress: noProgress, all: true });
    expect(report).toMatchObject({ users: USERS.length, differences: [] });
  }

  const isRelayed = () => until(async () => (await readRelayLag(redis, CELLS)).entries === 0);

  /** Every read of the Application API. */
  async function readAll(): Promise<Record<string, unknown>> {
    const range = 'startDate=2099-11-10&endDate=2099-11-30';
    const paths = ['/achievements', '/leaderboards?includeFinished=true'];
    const runs = ['', '?run=2099-11-16', '?run=2099-11-23'];
    for (const run of runs) paths.push(`/leaderboards/weekly${run}`);
    for (const key of ['small', 'streaks']) paths.push(`/leaderboards/${key}?limit=100`);
    for (const city of CITIES.slice(0, 2))
      paths.push(`/leaderboards/city?userAttributes=${encodeURIComponent(`city:${city}`)}`);
    for (const id of USERS) {
      const user = `/users/${id}`;
      paths.push(user, `${user}/achievements?includeIncomplete=true`, `${user}/streak?historyPeriods=20`);
      paths.push(
        `${user}/metrics`,
        `${user}/metrics/lessons`,
        `${user}/metrics/minutes`,
        `${user}/points/xp?awards=50`,
      );
      paths.push(`${user}/metrics/lessons/event-summary?aggregation=daily&${range}`);
      paths.push(`${user}/points/xp/event-summary?aggregation=daily&${range}`);
      for (const key of ['weekly', 'small', 'city', 'streaks']) paths.push(`${user}/leaderboards/${key}`);
      for (const run of runs.slice(1)) paths.push(`${user}/leaderboards/weekly${run}`);
    }
    const found: Record<string, unknown> = {};
    for (const path of paths) {
      const { status, body } = await server.call('GET', `/v1${path}`);
      if (status !== 404) expect([path, status]).toEqual([path, 200]);
      found[path] = body;
    }
    return found;
  }

  const restoreNow = (options: Partial<RestoreOptions> = {}) =>
    restore({
      pool: server.pool,
      redis,
      progress: noProgress,
      now,
      replace: false,
      testClock: false,
      ...options,
    });

  const refused = async (): Promise<void> => {
    for (const [method, path, body] of [
      ['POST', '/v1/metrics/lessons/event', { user: { id: 'user-1' }, value: 1 }],
      ['PUT', '/v1/users/user-1', { name: 'New' }],
      ['GET', '/v1/users/user-1', undefined],
      ['GET', '/readyz', undefined],
    ] as const) {
      expect([path, (await server.call(method, path, body)).status]).toEqual([path, 503]);
    }
  };

  /**
   * What Redis holds of users and configuration, but for the relay's streams, and since when time goes by
   * these rules.
   */
  async function content(): Promise<Record<string, unknown>> {
    // A restore does not bring back what Redis keeps of the history of users who are read (`h:`).
    const isCompared = (key: string): boolean => !/:(out|review)$|^\{\d+\}:\d+:h:/.test(key);
    const found = (await allKeys(redis, '{[0-9]*')).filter(isCompared).sort();
    const entries = await Promise.all(
      found.map(async (key) => {
        const type = await redis.type(key);
        if (type === 'zset') return [key, await redis.zrange(key, '0', '-1', 'WITHSCORES')];
        if (type === 'set') return [key, (await redis.smembers(key)).sort()];
        if (type === 'hash') {
          const fields = Object.entries(await redis.hgetallBuffer(key)).filter(
            ([name]) => !/^time[VS]/.test(name),
          );
          const shown = ([name, value]: [string, Buffer]) =>
            name === USER_PART.hot ? [name, hotValues(value)] : [name, value.toString('hex')];
          return [key, fields.map(shown).sort()];
        }
        return [key, await redis.get(key)];
      }),
    );
    return Object.fromEntries(entries);
  }

  test('all reads are the same after a loss of Redis and a restore', async () => {
    const before = await readAll();
    const ranked = before['/leaderboards/weekly?run=2099-11-16'] as { rankings: { value: number }[] };
    const values = ranked.rankings.map(({ value }) => value);
    expect(new Set(values).size, 'the sample must have ties').toBeLessThan(values.length);
    const held = await content();
    await expectNoDifference();

    await emptyRedis(redis);
    await refused();
    const restored = await restoreNow();
    expect(restored.users).toBe(USERS.length);
    // The first call after the restore is served.
    expect(await readAll()).toEqual(before);
    // Tickets of runs that a user has left are new ones, in the same order; and with them goes the count of
    // arrivals. Idempotency keys stay in PostgreSQL.
    const oldRuns = cellsOf(1, CELLS).map((cell) => keys.board(1, cell, 1, FIRST_RUN, ''));
    const isOldRun = (key: string): boolean => oldRuns.some((run) => key.startsWith(run));
    const exact = (all: Record<string, unknown>) =>
      Object.fromEntries(Object.entries(all).filter(([key]) => !isOldRun(key) && !/:keys$|:k:/.test(key)));
    expect(exact(await content())).toEqual(exact(held));
    await expectNoDifference();
  });

  test('used idempotency keys stay used', async () => {
    const used = keysUsed.filter(({ at }) => windowSeconds === null || at > now - windowSeconds * 1_000);
    expect(used.length).toBeGreaterThan(20);
    for (const { user, key, eventId } of used) {
      const event = { user: { id: user }, value: 1 };
      const headers = { 'Idempotency-Key': key };
      const { body } = await expectStatus(202, 'POST', '/v1/metrics/lessons/event', event, headers);
      expect(body).toMatchObject({ eventId, idempotentReplayed: true });
    }
    const event = { user: { id: 'user-1' }, value: 1 };
    await expectStatus(201, 'POST', '/v1/metrics/lessons/event', event, { 'Idempotency-Key': 'new' });
  });

  test('an event after the restore adds to the total from before', async () => {
    const { body: before } = await server.call('GET', '/v1/users/user-3/metrics/lessons');
    const { body } = await expectStatus(201, 'POST', '/v1/metrics/lessons/event', {
      user: { id: 'user-3' },
      value: 2,
    });
    expect(body.total).toBe(before.current + 2);
    await isRelayed();
    await foldRelayedStates(server.pool, { wait: true });
    const { body: shown } = await server.call('GET', '/v1/users/user-3/metrics/lessons');
    expect(shown.current).toBe(body.total);
  });

  // The rest does not depend on the window.
  if (windowSeconds !== null) return;

  test('a Redis with users is refused without --replace, and foreign keys stay', async () => {
    await isRelayed();
    await redis.set('{1other', 'theirs');
    const before = await content();
    await expect(restoreNow()).rejects.toThrow('--replace');
    expect(await content()).toEqual(before);
    await redis.hset(keys.user(1, 0, 'intruder'), 'h', '');
    await restoreNow({ replace: true });
    expect(await redis.exists(keys.user(1, 0, 'intruder'))).toBe(0);
    expect(await redis.get('{1other')).toBe('theirs');
    await redis.del('{1other');
  });

  test('servers refuse requests after an interrupted restore, until it is repeated', async () => {
    await isRelayed();
    const before = await readAll();
    await emptyRedis(redis);
    const failing: Progress = {
      ...noProgress,
      advance: () => {
        throw new Error('killed');
      },
    };
    await expect(restoreNow({ progress: failing })).rejects.toThrow('killed');
    expect(await redis.exists(keys.seen(1, 0))).toBe(1);
    await refused();

    await restoreNow();
    await until(async () => (await server.call('GET', '/readyz')).status === 200);
    expect(await readAll()).toEqual(before);
  });

  test('a test clock that began in the past continues from the last snapshot', async () => {
    await server.pool.query("update user_snapshots set taken_at = '2020-06-01'");
    const beginning = { testClock: true, testClockStart: Date.parse('2020-01-01'), replace: true };
    for (const [options, time] of [
      [beginning, '2020-06-01T00:00:00.000Z'],
      [{ ...beginning, testClockStart: null }, new Date(now).toISOString()],
    ] as const) {
      await emptyRedis(redis);
      await restoreNow(options);
      expect(new Date(await readSharedTime(redis, now)).toISOString()).toBe(time);
    }
  });

  test('works on the command line, and time does not go back', async () => {
    await emptyRedis(redis);
    await server.pool.query("update user_snapshots set taken_at = '2099-12-01' where user_id = 'user-1'");
    const env = {
      REDIS_URL: server.redisUrl,
      DATABASE_URL: server.databaseUrl,
      LAUREL_TEST_CLOCK: '1',
      LOG_LEVEL: 'error',
    };
    const { stdout } = await runLaurel(['restore'], env);
    expect(stdout).toContain(`restored ${USERS.length} users`);
    expect(stdout).toMatch(/users .*100% 24\/24/);
    const now = await readSharedTime(redis, performance.timeOrigin + performance.now());
    expect(now).toBeGreaterThanOrEqual(Date.parse('2099-12-01'));
    const again = runLaurel(['restore'], env);
    await expect(again).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('--replace') });
  });
});
