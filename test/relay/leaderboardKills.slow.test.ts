import { afterAll, expect, test } from 'vitest';
import { type ExtraRole, startExtraRole } from '../support/chaos/extraRole.ts';
import { Random, readSeed } from '../support/random.ts';
import { allKeys } from '../support/redisData.ts';
import type { Reply } from '../support/server.ts';
import { until } from '../support/until.ts';
import { useServer } from '../support/useServer.ts';

/**
 * Two workers that are killed with -9 again and again, while many runs of many leaderboards are to become
 * final and to reward their users.
 */
const SEED = readSeed('leaderboardKills', 20_261_118);
const [BOARDS, DAYS, USERS] = [12, 8, 20];
const RUNS = BOARDS * DAYS;
const START = Date.parse('2032-05-03T12:00:00Z');
const DAY_MS = 86_400_000;
const KILLS = 5;
/** A job that was left by its worker is found again by then. */
const STALLED_MS_MAX = 120_000;
const TEAMS = ['red', 'blue', 'green'];

const server = useServer({ config: 'none', env: { LAUREL_CELLS: '2' } });
const workers: ExtraRole[] = [];
afterAll(() => Promise.all(workers.map((worker) => worker.stop())));

const date = (day: number): string => new Date(START + day * DAY_MS).toISOString().slice(0, 10);
const moveTo = (instant: number) =>
  server.call('POST', '/admin/v1/test-clock', { now: new Date(instant).toISOString() });

/** Every group of every run: of a leaderboard, then of a day. */
async function readRuns(): Promise<Record<string, Reply['body'][]>> {
  const read: Record<string, Reply['body'][]> = {};
  for (let board = 0; board < BOARDS; board++) {
    for (let day = 0; day < DAYS; day++) {
      for (const team of TEAMS) {
        const path = `/v1/leaderboards/board-${board}?limit=1000&run=${date(day)}&userAttributes=team:${team}`;
        const { status, body } = await server.call('GET', path);
        expect(status).toBe(200);
        read[`${board} ${day} ${team}`] = body.rankings;
      }
    }
  }
  return read;
}

/** Points that the ranks of all runs give, by user. */
function rewardsOf(runs: Record<string, Reply['body'][]>): Record<string, number> {
  const points: Record<string, number> = {};
  for (const { userId, rank } of Object.values(runs).flat())
    if (rank <= 3) points[userId] = (points[userId] ?? 0) + (rank === 1 ? 11 : 10);
  return points;
}

const countRuns = async (): Promise<number> =>
  (await server.pool.query('select count(*)::int as runs from leaderboard_runs')).rows[0].runs;

test('workers that are killed make every run final once, reward its users once, and leave nothing in Redis', {
  timeout: 600_000,
}, async () => {
  const random = new Random(SEED);
  await moveTo(START - DAY_MS);
  const leaderboards = Array.from({ length: BOARDS }, (_, i) => ({
    key: `board-${i}`,
    name: 'B',
    rankBy: 'metric',
    metric: 'lessons',
    breakdownAttributes: ['team'],
    start: date(0),
    end: date(DAYS - 1),
    runUnit: 'day',
    runInterval: 1,
    rewards: [
      { from: 1, to: 3, points: { system: 'xp', amount: 10 } },
      { from: 1, to: 1, points: { system: 'xp', amount: 1 } },
    ],
  }));
  const applied = await server.call('PUT', '/admin/v1/config', {
    attributes: { user: [{ key: 'team', name: 'Team' }] },
    metrics: [{ key: 'lessons', name: 'Lessons' }],
    points: [{ key: 'xp', name: 'XP', triggers: [] }],
    leaderboards,
  });
  expect(applied.status).toBe(200);
  // Nobody relays yet, so nothing becomes final before the workers come.
  for (let day = 0; day < DAYS; day++) {
    await moveTo(START + day * DAY_MS);
    for (let i = 0; i < USERS; i++) {
      const user = { id: `user-${i}`, attributes: { team: random.pick(TEAMS) } };
      await server.call('POST', '/v1/metrics/lessons/event', { user, value: random.int(1, 4) });
    }
  }
  await moveTo(START + (DAYS + 1) * DAY_MS);
  const open = await readRuns();
  expect(Object.values(open).flat().length).toBe(RUNS * USERS);

  const overdue = async (): Promise<string | undefined> =>
    /^laurel_leaderboards_overdue (.*)$/m.exec((await server.call('GET', '/metrics')).body)?.[1];
  // A number that a busy machine does not read in time is missing.
  await expect.poll(overdue).toBe(String(BOARDS));

  const env = {
    REDIS_URL: server.redisUrl,
    DATABASE_URL: server.databaseUrl,
    LOG_LEVEL: 'silent',
  };
  workers.push(...(await Promise.all([startExtraRole('worker', env), startExtraRole('worker', env)])));
  // On a slow machine a kill may come when everything is done.
  const amid: boolean[] = [];
  for (let kill = 0; kill < KILLS; kill++) {
    // Somewhere in the middle of what is left to do.
    const reached = Math.min((await countRuns()) + random.int(1, 8), RUNS);
    await until(async () => (await countRuns()) >= reached, STALLED_MS_MAX);
    await workers[kill % 2]!.kill();
    amid.push((await countRuns()) < RUNS);
  }
  expect(amid).toContain(true);
  await until(
    async () => (await server.pool.query('select from due_leaderboards')).rowCount === 0,
    STALLED_MS_MAX,
  );
  await expect.poll(overdue).toBe('0');
  expect(await allKeys(server.redis, '{*}:1:lb:*')).toEqual([]);
  expect(await readRuns()).toEqual(open);
  const rewards = rewardsOf(open);
  for (const [id, total] of Object.entries(rewards))
    expect((await server.call('GET', `/v1/users/${id}/points/xp`)).body).toMatchObject({ total });
  const awarded = await server.pool.query(
    'select user_id, sum(awarded)::int as points from award_history group by 1 order by 1',
  );
  const given = Object.entries(rewards).sort(([a], [b]) => (a < b ? -1 : 1));
  expect(awarded.rows.map(({ user_id, points }) => [user_id, points])).toEqual(given);
  expect((await server.pool.query('select from due_rewards')).rowCount).toBe(0);
  const counted = await server.pool.query(
    'select count(*)::int as runs from leaderboard_runs where not is_in_redis',
  );
  expect(counted.rows).toEqual([{ runs: RUNS }]);
  const audited = await server.pool.query(
    `select entity, count(*)::int from audit_log where actor = 'schedule' and after ->> 'status' = 'finished' group by 1`,
  );
  expect(audited.rows.map(({ count }) => count)).toEqual(Array(BOARDS).fill(1));
});
