import type { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { homeCellOf } from '../../src/base/cells.ts';
import { createLog } from '../../src/base/log.ts';
import { createPool, type Pool } from '../../src/db/pool.ts';
import { connectRedis, whenReady } from '../../src/redis/connection/redisClient.ts';
import { keys } from '../../src/redis/keys/redisKeys.ts';
import type { Relay } from '../../workers/relay/relay.ts';
import { testCells } from '../support/cells.ts';
import { type RedisCluster, startRedisCluster } from '../support/redisCluster.ts';
import { createTenants, startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

const CELLS = testCells(64);
const TENANTS = Array.from({ length: 20 }, (_, i) => `tenant-${i}`);
/** The cluster does not notice that a node is away, so the other nodes go on without a replica of it. */
const NEVER_MS = 600_000;
/** First slot of the second node. */
const SECOND = 5_461;
const silent = createLog('test', 'silent');

let cluster: RedisCluster;
let server: TestServer;
let relay: Relay;
let redis: Redis;
let pool: Pool;
/** Tenants of the first node, which is away for a while, and of the others. */
const ofFirst: string[] = [];
const ofOthers: string[] = [];

beforeAll(async () => {
  cluster = await startRedisCluster(0, NEVER_MS);
  server = await startTestServer({
    redis: cluster,
    // One case lets a node hang.
    env: { LAUREL_CONFIG: 'none', LAUREL_CELLS: String(CELLS.count), LAUREL_STORE_WAIT_MS: '3000' },
  });
  relay = await server.startRelay();
  redis = connectRedis(cluster.url, silent);
  await whenReady(redis);
  pool = createPool(server.databaseUrl, silent);
  await createTenants(server, TENANTS, { metrics: [{ key: 'lessons', name: 'Lessons' }] });
  const { rows } = await pool.query('select no, customer_id as id from tenants where customer_id = any($1)', [
    TENANTS,
  ]);
  for (const { no, id } of rows) {
    const slot = Number(await redis.cluster('KEYSLOT', keys.outbox(homeCellOf(no, CELLS))));
    (slot < SECOND ? ofFirst : ofOthers).push(id);
  }
});

afterAll(async () => {
  redis?.disconnect();
  await pool?.end();
  await server?.stop();
});

const record = async (tenant: string, userId: string, key: string): Promise<number> => {
  const event = { user: { id: userId }, value: 1 };
  const headers = { 'Tenant-ID': tenant, 'Idempotency-Key': key };
  return (await server.call('POST', '/v1/metrics/lessons/event', event, headers)).status;
};
const NOVEMBER = 'aggregation=daily&startDate=2026-11-01&endDate=2026-11-30';
const inHistory = async (tenant: string, userId: string): Promise<number> => {
  const path = `/v1/users/${userId}/metrics/lessons/event-summary?${NOVEMBER}`;
  const { status, body } = await server.call('GET', path, undefined, { 'Tenant-ID': tenant });
  if (status !== 200) throw new Error(`${status}`);
  return body.reduce((sum: number, { change }: { change: number }) => sum + change, 0);
};
const hasHistory = async (tenants: string[], userId: string, events: number): Promise<void> => {
  for (const tenant of tenants) await until(async () => (await inHistory(tenant, userId)) === events);
};

describe('the relay of a cluster', () => {
  test.each([
    ['is killed', 'ann', () => cluster.nodes[0]!.kill(), () => cluster.nodes[0]!.restart()],
    ['hangs', 'bo', async () => cluster.nodes[0]!.pause(), async () => cluster.nodes[0]!.resume()],
  ])('goes on with the cells of the other nodes while one %s', async (_, user, leave, comeBack) => {
    const counts = async (tenant: string, key: string) =>
      [201, 202].includes(await record(tenant, user, key));
    for (const tenant of TENANTS) expect(await record(tenant, user, 'before')).toBe(201);
    await leave();
    for (let i = 1; i <= 3; i++) {
      for (const tenant of ofOthers) await until(() => counts(tenant, `away ${i}`));
      await hasHistory(ofOthers, user, 1 + i);
    }
    expect(await record(ofFirst[0]!, user, 'away 1')).toBe(503);
    await until(() => relay.unreachableCells > 0);
    await comeBack();
    for (const tenant of ofFirst) {
      for (let i = 1; i <= 3; i++) await until(() => counts(tenant, `away ${i}`));
    }
    await hasHistory(TENANTS, user, 4);
    await until(() => relay.unreachableCells === 0);
  });
});
