import { beforeAll, describe, expect, test } from 'vitest';
import { noProgress } from '../../src/base/progress.ts';
import { check } from '../../src/commands/check/check.ts';
import { foldRelayedStates } from '../../src/engine/recovery/foldSnapshots.ts';
import { item, items, lessonStreak, perLesson, xp } from '../support/items.ts';
import type { Json } from '../support/reading.ts';
import { allKeys } from '../support/redisData.ts';
import { restoreServer } from '../support/restoreServer.ts';
import type { Reply } from '../support/server.ts';
import { dayFromStart } from '../support/testTime.ts';
import { useServer } from '../support/useServer.ts';

/** What stays of late events when Redis is lost, users are erased and senders repeat themselves. */

const WINDOW_HOURS = 6;
const RANKINGS = [
  { key: 'days', runUnit: 'day', runInterval: 1 },
  { key: 'cities', breakdownAttributes: ['city'] },
  { key: 'best', aggregation: 'best', runUnit: 'day', runInterval: 7 },
  { key: 'latest', aggregation: 'latest', runUnit: 'day', runInterval: 7 },
].map((board) => ({
  name: board.key,
  rankBy: 'metric',
  metric: 'lessons',
  start: dayFromStart(-9),
  ...board,
}));

const config = (idempotencyWindowSeconds: number | null): object => ({
  settings: { idempotencyWindowSeconds, lateEvents: { maxAgeSeconds: 9 * 86_400 } },
  attributes: { user: items('city') },
  metrics: items('lessons'),
  streak: lessonStreak({ freezes: { startCount: 1, maxCount: 2 } }),
  achievements: [item('three', { trigger: 'streak', streakLength: 3 })],
  points: [xp([perLesson(10), { type: 'streak', streakLength: 3, points: 100 }])],
  leaderboards: [...RANKINGS, { key: 'streaks', name: 'Streaks', rankBy: 'streak', start: dayFromStart(-9) }],
});

/** Hours since the start at which each user's events happen, and those that arrive at the end. */
const USERS: Record<string, { inTime: number[]; late: number[] }> = {
  plain: { inTime: [0, 24, 48, 72], late: [] },
  frozen: { inTime: [24, 72], late: [48] },
  broken: { inTime: [0, 72], late: [48, 26] },
  absent: { inTime: [], late: [71, 27, 50] },
  ended: { inTime: [0], late: [28] },
};

describe.each([null, WINDOW_HOURS * 3_600])('with an idempotency window of %s s', (windowSeconds) => {
  const server = useServer({ config: config(windowSeconds), relay: true });
  let startMs: number;
  const used: { id: string; hours: number; eventId: string }[] = [];

  const instant = (hours: number): string => new Date(startMs + hours * 3_600_000).toISOString();
  const setClock = (hours: number): Promise<Reply> =>
    server.call('POST', '/admin/v1/test-clock', { now: instant(hours), stopped: true });
  const send = (id: string, key: string, lateHours?: number): Promise<Reply> =>
    server.call('POST', '/v1/metrics/lessons/event', {
      user: { id, attributes: { city: 'rome' } },
      value: 1,
      idempotencyKey: key,
      ...(lateHours !== undefined && { timestamp: instant(lateHours) }),
    });
  const total = async (id: string): Promise<number> =>
    (await server.call('GET', `/v1/users/${id}/metrics/lessons`)).body.current;

  beforeAll(async () => {
    startMs = Math.floor(server.clock.now() / 86_400_000) * 86_400_000 + 34 * 3_600_000;
    for (const now of [0, 24, 48, 72]) {
      await setClock(now);
      for (const [id, { inTime }] of Object.entries(USERS))
        if (inTime.includes(now)) expect((await send(id, `at-${now}`)).status).toBe(201);
    }
    await setClock(73);
    for (const [id, { late }] of Object.entries(USERS)) {
      for (const hours of late) {
        const { status, body } = await send(id, `late-${hours}`, hours);
        expect([id, hours, status]).toEqual([id, hours, 201]);
        used.push({ id, hours, eventId: body.eventId });
      }
    }
  });

  async function readAll(): Promise<Record<string, Json>> {
    const paths = ['cities?userAttributes=city:rome', 'streaks', 'best', 'latest', 'days']
      .concat([1, 2, 3].map((day) => `days?run=${instant(day * 24).slice(0, 10)}`))
      .map((path) => `/leaderboards/${path}`);
    for (const id of Object.keys(USERS)) {
      const user = `/users/${id}`;
      paths.push(user, `${user}/metrics`, `${user}/achievements`, `${user}/points/xp?awards=50`);
      paths.push(`${user}/streak?historyPeriods=10`, `${user}/leaderboards/days`);
    }
    const found: Record<string, Json> = {};
    for (const path of paths) {
      const { status, body } = await server.call('GET', `/v1${path}`);
      expect([path, status]).toEqual([path, 200]);
      found[path] = body;
    }
    return found;
  }

  /** The states of users as they are in Redis. */
  async function states(): Promise<Record<string, unknown>> {
    const found: Record<string, unknown> = {};
    for (const key of (await allKeys(server.redis, '*:u:*')).sort()) {
      const parts = Object.entries(await server.redis.hgetallBuffer(key));
      found[key] = parts.map(([name, value]) => [name, value.toString('hex')]).sort();
    }
    return found;
  }

  async function expectNoDifference(): Promise<void> {
    await server.relayed();
    await foldRelayedStates(server.pool, { wait: true });
    const report = await check({ pool: server.pool, redis: server.redis, progress: noProgress, all: true });
    expect(report.users).toBeGreaterThanOrEqual(Object.keys(USERS).length);
    expect(report.differences).toEqual([]);
  }

  test('the history has the repaired streaks, and a restore brings back state, rankings and history', async () => {
    const before = await readAll();
    const lengths = Object.keys(USERS).map((id) => before[`/users/${id}/streak?historyPeriods=10`].length);
    expect(lengths).toEqual([4, 3, 4, 3, 2]);
    const held = await states();
    expect(Object.keys(held).length).toBeGreaterThanOrEqual(Object.keys(USERS).length);
    await expectNoDifference();
    await restoreServer(server);
    expect(await readAll()).toEqual(before);
    expect(await states()).toEqual(held);
    await expectNoDifference();
  });

  test('a key of a late event is used from its arrival on, also after a restore', async () => {
    await restoreServer(server);
    for (const { id, hours, eventId } of used) {
      const { status, body } = await send(id, `late-${hours}`, hours);
      expect([id, hours, status, body.eventId]).toEqual([id, hours, 202, eventId]);
    }
    if (windowSeconds === null) return;
    await setClock(73 + WINDOW_HOURS + 1);
    const { status } = await send('absent', 'late-50', 50);
    expect(status).toBe(201);
  });

  test('an event whose answer never came counts once, however often and by however many it is repeated', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => send('plain', 'lost', 50)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(11).fill(202)]);
    expect(new Set(answers.map(({ body }) => body.eventId)).size).toBe(1);
    expect(await total('plain')).toBe(5);
  });

  test('an erased user leaves no state, ranking or history of late events', async () => {
    for (const hours of [undefined, 27, 50])
      expect((await send('erased', `key-${hours}`, hours)).status).toBe(201);
    const rankings = async (): Promise<number> => {
      const found = await allKeys(server.redis, '*:lb:*');
      const members = await Promise.all(found.map((key) => server.redis.zrange(key, '0', '-1')));
      return members.filter((all) => all.some((member) => member.endsWith('erased'))).length;
    };
    const rows = async (): Promise<number> => {
      const tables = ['streak_extensions', 'user_numbers', 'event_history', 'metric_days'];
      const counts = tables.map((table) => `select from ${table} where user_id = 'erased'`);
      return (await server.pool.query(counts.join(' union all '))).rowCount!;
    };
    await server.call('GET', '/admin/v1/users/erased/timeline');
    // Runs of days that are not final, of weeks, of all time, and of streaks.
    expect(await rankings()).toBeGreaterThanOrEqual(5);
    expect(await rows()).toBeGreaterThanOrEqual(7);
    expect((await server.call('DELETE', '/admin/v1/users/erased')).body.status).toBe('erased');
    expect([await rankings(), await rows()]).toEqual([0, 0]);
    const { status, body } = await send('erased', 'key-27', 50);
    expect([status, body.total, body.currentStreak.length]).toEqual([201, 1, 1]);
  });
});
