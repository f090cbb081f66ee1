import type { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allCells, homeCellOf } from '../../src/base/cells.ts';
import { readEnv } from '../../src/base/env.ts';
import { createLog } from '../../src/base/log.ts';
import { noProgress } from '../../src/base/progress.ts';
import { restore } from '../../src/commands/restore/restore.ts';
import { createPool, type Pool } from '../../src/db/pool.ts';
import { foldRelayedStates } from '../../src/engine/recovery/foldSnapshots.ts';
import { connectRedis, primariesOf, whenReady } from '../../src/redis/connection/redisClient.ts';
import { keys } from '../../src/redis/keys/redisKeys.ts';
import { readRelayLag } from '../../src/redis/state/relayProgress.ts';
import { type RunningWorker, startWorker } from '../../workers/start/startWorker.ts';
import { testCells } from '../support/cells.ts';
import { achievement, items, lessonStreak, metricBoard, perLesson, xp } from '../support/items.ts';
import { type RedisCluster, startRedisCluster } from '../support/redisCluster.ts';
import { createTenants, startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

const CELLS = testCells(64);
const TENANTS = Array.from({ length: 20 }, (_, i) => `tenant-${i}`);
const USERS = ['ann', 'bo', 'cy'];
const silent = createLog('test', 'silent');
const CONFIG = {
  metrics: items('lessons'),
  streak: lessonStreak(),
  achievements: [achievement('two', 2)],
  points: [xp([perLesson(2), { type: 'time', timeUnit: 'hours', timeInterval: 1, points: 1 }])],
  leaderboards: [metricBoard('all', { start: '2026-01-01' })],
};

let cluster: RedisCluster;
let server: TestServer;
let worker: RunningWorker;
let redis: Redis;
let pool: Pool;

beforeAll(async () => {
  cluster = await startRedisCluster(1);
  const env = { LAUREL_CONFIG: 'none', LAUREL_CELLS: String(CELLS.count) };
  server = await startTestServer({ redis: cluster, env });
  redis = connectRedis(cluster.url, silent);
  await whenReady(redis);
  pool = createPool(server.databaseUrl, silent);
  await createTenants(server, TENANTS, CONFIG);
  const urls = { redisUrl: cluster.url, databaseUrl: server.databaseUrl };
  worker = await startWorker({ ...readEnv({ LAUREL_TEST_CLOCK: '1' }), ...urls }, silent);
});

afterAll(async () => {
  await worker?.stop();
  redis?.disconnect();
  await pool?.end();
  await server?.stop();
});

const record = (tenant: string, id: string, key: string) =>
  server.call(
    'POST',
    '/v1/metrics/lessons/event',
    { user: { id }, value: 1 },
    { 'Tenant-ID': tenant, 'Idempotency-Key': key },
  );
const get = async (tenant: string, path: string) => {
  const { status, body } = await server.call('GET', path, undefined, { 'Tenant-ID': tenant });
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
};
const isRelayed = () => until(async () => (await readRelayLag(redis, CELLS)).entries === 0);

/** What the Application API answers about all users. */
async function everything(): Promise<unknown[]> {
  const found: unknown[] = [];
  for (const tenant of TENANTS) {
    found.push((await get(tenant, '/v1/leaderboards/all')).rankings);
    for (const user of USERS) {
      found.push(await get(tenant, `/v1/users/${user}/points/xp?awards=100`));
      found.push(
        await get(
          tenant,
          `/v1/users/${user}/metrics/lessons/event-summary?aggregation=daily&startDate=2026-11-01&endDate=2026-11-30`,
        ),
      );
    }
  }
  return found;
}

describe('on a cluster', () => {
  test('tenants are on all primaries', async () => {
    for (const [i, tenant] of TENANTS.entries()) {
      for (const user of USERS) {
        const { status, body } = await record(tenant, user, 'first');
        expect([status, body.total], `${tenant} ${i}`).toEqual([201, 1]);
      }
    }
    const users = await Promise.all(primariesOf(redis).map((primary) => primary.keys('{*}:*:u:*')));
    expect(users.flat()).toHaveLength(TENANTS.length * USERS.length);
    for (const found of users) expect(found.length).toBeGreaterThan(0);
  });

  test('what happened is in the history, and repeats count once', async () => {
    for (const tenant of TENANTS) expect((await record(tenant, 'ann', 'first')).status).toBe(202);
    for (const tenant of TENANTS) {
      const { awards, total } = await get(tenant, '/v1/users/ann/points/xp?awards=10');
      expect([total, awards.length]).toEqual([2, 1]);
    }
  });

  test('time triggers award points on all primaries', async () => {
    const now = server.clock.now() + 3_600_000;
    const { status } = await server.call('POST', '/admin/v1/test-clock', {
      now: new Date(now).toISOString(),
    });
    expect(status).toBe(200);
    for (const tenant of TENANTS) expect((await get(tenant, '/v1/users/bo/points/xp')).total).toBe(3);
  });

  test('workers settle users who are due', async () => {
    const dueBefore = () =>
      Promise.all(
        allCells(CELLS).map((cell) => redis.zcount(keys.due(cell), '-inf', server.clock.now() / 1000)),
      );
    const cell = homeCellOf(2, CELLS);
    const [member] = await redis.zrange(keys.due(cell), '0', '0');
    await redis.zadd(keys.due(cell), server.clock.now() / 1000 - 1, member!);
    await until(async () => (await dueBefore()).every((count) => count === 0));
  });

  test('slots move under load: no event fails, none is lost or counted twice', async () => {
    const statuses: number[] = [];
    let isOver = false;
    let sent = 0;
    const load = TENANTS.map(async (tenant) => {
      for (let i = 0; !isOver; i++) {
        sent++;
        statuses.push((await record(tenant, 'dee', `moving-${i}`)).status);
      }
    });
    try {
      for (const [i] of TENANTS.entries()) {
        const slot = Number(await redis.cluster('KEYSLOT', keys.outbox(homeCellOf(i + 2, CELLS))));
        await cluster.moveSlot(slot, i % 3);
      }
    } finally {
      isOver = true;
      await Promise.all(load);
    }
    const errors = await Promise.all(primariesOf(redis).map((primary) => primary.info('errorstats')));
    expect(errors.join()).toContain('errorstat_TRYAGAIN');
    expect(statuses.filter((status) => status !== 201)).toEqual([]);
    await isRelayed();
    const { rows } = await pool.query(`select count(*)::int as n from event_history where user_id = 'dee'`);
    expect(rows[0].n).toBe(sent);
    const totals = await Promise.all(
      TENANTS.map(async (id) => (await get(id, '/v1/users/dee/metrics/lessons')).current),
    );
    expect(totals.reduce((sum, total) => sum + total, 0)).toBe(sent);
  });

  test('a restore brings back a cluster that lost everything', async () => {
    await isRelayed();
    await foldRelayedStates(pool, { wait: true });
    const before = await everything();
    await Promise.all(primariesOf(redis).map((primary) => primary.flushall()));
    expect((await record(TENANTS[0]!, 'ann', 'after')).status).toBe(503);
    const times = { now: Date.now(), testClock: true, testClockStart: server.clock.now() };
    await restore({ pool, redis, progress: noProgress, replace: false, ...times });
    await until(async () => (await record(TENANTS[0]!, 'ann', 'first')).status === 202);
    expect(await everything()).toEqual(before);
  });

  test('when a primary dies, its replica serves its tenants, and repeats count once', async () => {
    await cluster.nodes[0]!.kill();
    for (const tenant of TENANTS) {
      await until(
        async () => [201, 202].includes((await record(tenant, 'eve', `failover-${tenant}`)).status),
        20_000,
      );
    }
    for (const tenant of TENANTS) {
      await until(async () => (await get(tenant, '/v1/users/eve/metrics/lessons')).current === 1);
    }
    await isRelayed();
    const { rows } = await pool.query(`select count(*)::int as n from event_history where user_id = 'eve'`);
    expect(rows[0].n).toBe(TENANTS.length);
  });
});
