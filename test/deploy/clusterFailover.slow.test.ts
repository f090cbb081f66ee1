import type { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLog } from '../../src/base/log.ts';
import { createPool, type Pool } from '../../src/db/pool.ts';
import { connectRedis, whenReady } from '../../src/redis/connection/redisClient.ts';
import { readRelayLag } from '../../src/redis/state/relayProgress.ts';
import { testCells } from '../support/cells.ts';
import { type RedisCluster, startRedisCluster } from '../support/redisCluster.ts';
import { createTenants, startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

const CELLS = testCells(64);
const PRIMARIES = 3;
const TENANTS = Array.from({ length: 20 }, (_, i) => `tenant-${i}`);
/** Replicas that must have an event before it is answered. With 0, lost events are counted and printed. */
const WAIT_REPLICAS = Number(process.env.LAUREL_FAILOVER_WAIT_REPLICAS ?? 1);
const KILLS = Number(process.env.LAUREL_FAILOVER_KILLS ?? 2);
/** Keys that are sent before a primary is killed. */
const KEYS_BETWEEN_KILLS = 100;
const silent = createLog('test', 'silent');

let cluster: RedisCluster;
let server: TestServer;
let redis: Redis;
let pool: Pool;

beforeAll(async () => {
  cluster = await startRedisCluster(1);
  const env = {
    LAUREL_CONFIG: 'none',
    LAUREL_CELLS: String(CELLS.count),
    LAUREL_REDIS_WAIT_REPLICAS: String(WAIT_REPLICAS),
  };
  server = await startTestServer({ redis: cluster, env });
  await server.startRelay();
  redis = connectRedis(cluster.url, silent);
  await whenReady(redis);
  pool = createPool(server.databaseUrl, silent);
  await createTenants(server, TENANTS, { metrics: [{ key: 'lessons', name: 'Lessons' }] });
});

afterAll(async () => {
  redis?.disconnect();
  await pool?.end();
  await server?.stop();
});

const call = (tenant: string, method: string, path: string, body?: unknown, key?: string) =>
  server.call(method, path, body, { 'Tenant-ID': tenant, ...(key && { 'Idempotency-Key': key }) });

/** Whether three of the nodes that live are primaries, so a replica has taken over. */
async function isServing(): Promise<boolean> {
  const roles = await Promise.all(cluster.nodes.map((node) => node.call('ROLE').catch(() => [null])));
  return (roles as string[][]).filter(([role]) => role === 'master').length === PRIMARIES;
}

/** The index of a primary that has a replica. */
async function findPrimary(): Promise<number> {
  const infos = await Promise.all(
    cluster.nodes.map(async (node) => String(await node.call('INFO', 'replication'))),
  );
  return infos.findIndex((info) => info.includes('role:master') && info.includes('state=online'));
}

test('primaries die under load: what was answered counts, and once', {
  timeout: KILLS * 90_000,
}, async () => {
  let isOver = false;
  let keysSent = 0;
  let refused = 0;
  const send = async (tenant: string, key: string): Promise<boolean> => {
    const event = { user: { id: 'eve' }, value: 1 };
    const { status } = await call(tenant, 'POST', '/v1/metrics/lessons/event', event, key);
    if (status === 503) refused++;
    else expect([201, 202]).toContain(status);
    return status !== 503;
  };
  const load = TENANTS.map(async (tenant) => {
    for (let i = 0; !isOver; i++) {
      keysSent++;
      await until(() => send(tenant, `key-${i}`));
    }
  });
  const someKeys = (): Promise<boolean> => {
    const before = keysSent;
    return until(() => keysSent > before + KEYS_BETWEEN_KILLS);
  };
  for (let kill = 0; kill < KILLS; kill++) {
    await someKeys();
    const node = cluster.nodes[await findPrimary()]!;
    await node.kill();
    await until(isServing);
    await node.restart();
    const isCopied = async () =>
      String(await node.call('INFO', 'replication')).includes('master_link_status:up');
    await until(isCopied);
  }
  await someKeys();
  isOver = true;
  await Promise.all(load);
  expect(refused).toBeGreaterThan(0);
  const total = async (tenant: string): Promise<number> =>
    (await call(tenant, 'GET', '/v1/users/eve/metrics/lessons')).body.current;
  const totals = await Promise.all(TENANTS.map((tenant) => until(() => total(tenant))));
  const counted = totals.reduce((sum, one) => sum + one, 0);
  await until(async () => (await readRelayLag(redis, CELLS)).entries === 0);
  const { rows } = await pool.query(`select count(*)::int as n from event_history where user_id = 'eve'`);
  if (WAIT_REPLICAS > 0) expect([counted, rows[0].n]).toEqual([keysSent, keysSent]);
  else
    console.log(
      `${KILLS} kills: ${keysSent} events were answered, Redis has ${counted}, the history ${rows[0].n}`,
    );
});
