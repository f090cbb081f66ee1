import type { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cellOf, cellsOf } from '../../src/base/cells.ts';
import { createLog } from '../../src/base/log.ts';
import { createPool } from '../../src/db/pool.ts';
import { connectRedis, whenReady } from '../../src/redis/connection/redisClient.ts';
import { Replication } from '../../src/redis/connection/replication.ts';
import { RELAY_GROUP } from '../../src/redis/decoding/outbox.ts';
import { keys } from '../../src/redis/keys/redisKeys.ts';
import { type RedisCluster, startRedisCluster } from '../support/redisCluster.ts';
import type { RedisNode } from '../support/redisNode.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

/** A primary may be replaced between a change and the moment in which replicas must have it. */
const CELLS = { count: 64, spread: 4 };
const FAILURE_MS = 500;
const REPLACED = 'The primary of Redis is being replaced; try again';

let cluster: RedisCluster;
let redis: Redis;

beforeAll(async () => {
  cluster = await startRedisCluster(1, FAILURE_MS);
  redis = connectRedis(cluster.url, silent, { waitReplicas: 1 });
  await whenReady(redis);
});
afterAll(async () => {
  redis?.disconnect();
  await cluster?.stop();
});

const silent = createLog('test', 'silent');
const slotOf = (cell: number): Promise<number> =>
  redis.cluster('KEYSLOT', keys.replicated(cell)) as Promise<number>;
const cellOfUser = (id: string): number => cellOf(1, id, CELLS);
/** The primary of a cell, as `hangPrimary` counts them. */
const primaryOf = async (cell: number): Promise<number> => Math.floor((3 * (await slotOf(cell))) / 16_384);

/** The replicas of the primary of a cell. */
async function findReplicas(cell: number): Promise<RedisNode[]> {
  const primary = await cluster.ownerOf(await slotOf(cell));
  const roles = await Promise.all(cluster.nodes.map((node) => node.call('ROLE')));
  return cluster.nodes.filter((_node, i) => {
    const [role, , port] = roles[i] as [string, string, number];
    return role === 'slave' && primary === port;
  });
}

describe('a change is confirmed', () => {
  const watch = (cell: number) => new Replication(redis).watch(cell);
  const isConfirmed = async (cell: number): Promise<boolean> => {
    await watch(cell)();
    return true;
  };

  test('if the replica has it', async () => {
    expect(await until(() => isConfirmed(0))).toBe(true);
  });

  test('if its cell has moved to another primary meanwhile', async () => {
    const slot = await slotOf(1);
    const from = await primaryOf(1);
    const confirm = watch(1);
    await cluster.moveSlot(slot, (from + 1) % 3);
    await expect(confirm()).resolves.toBeUndefined();
    await cluster.moveSlot(slot, from);
  });

  test('not if a replica has taken over meanwhile', async () => {
    const confirm = watch(0);
    await cluster.hangPrimary(await primaryOf(0));
    await expect(confirm()).rejects.toThrow();
    await until(() => isConfirmed(0));
  });

  test('not over another connection, which may be to another primary', async () => {
    const [node] = cluster.nodes;
    const single = connectRedis(`redis://127.0.0.1:${node!.port}`, silent, { waitReplicas: 1 });
    await whenReady(single);
    const confirm = new Replication(single).watch(0);
    single.disconnect(true);
    await new Promise((resolve) => single.once('ready', resolve));
    await expect(confirm()).rejects.toThrow(REPLACED);
    single.disconnect();
  });
});

describe('a server', () => {
  const ROUNDS = 5;
  let server: TestServer;

  beforeAll(async () => {
    const env = {
      LAUREL_CELLS: String(CELLS.count),
      LAUREL_SPREAD: String(CELLS.spread),
      LAUREL_REDIS_WAIT_REPLICAS: '1',
    };
    const { url } = cluster;
    server = await startTestServer({ redis: { url, stop: async () => {} }, env });
    await server.startRelay();
  });
  afterAll(() => server?.stop());

  const record = async (key: string, id = 'ann'): Promise<boolean> => {
    const event = { user: { id }, value: 1 };
    const path = '/v1/metrics/lessons/event';
    return (await server.call('POST', path, event, { 'Idempotency-Key': key })).status !== 503;
  };

  test('answers an event whose primary is replaced only if it counts', {
    timeout: ROUNDS * 60_000,
  }, async () => {
    const total = async (): Promise<number> =>
      (await server.call('GET', '/v1/users/ann/metrics/lessons')).body.current;
    const primary = await primaryOf(cellOfUser('ann'));
    for (let round = 0; round < ROUNDS; round++) {
      await until(() => record(`before-${round}`));
      const before = await until(total);
      let sent: Promise<boolean> | undefined;
      await cluster.hangPrimary(primary, () => {
        sent = record(`hanging-${round}`);
      });
      const isAnswered = await sent!;
      // One that is not answered may count, too.
      expect(await until(total)).toBeGreaterThanOrEqual(before + Number(isAnswered));
      await until(() => record(`hanging-${round}`));
      expect(await until(total)).toBe(before + 1);
    }
  });

  test('relays an event once a replica has it, and those of other primaries meanwhile', async () => {
    const pool = createPool(server.databaseUrl, silent);
    const primaries = new Map<number, string>();
    for (let i = 0; i < 20; i++) primaries.set(await primaryOf(cellOfUser(`user-${i}`)), `user-${i}`);
    const [alone, other] = [...primaries.values()] as [string, string];
    const eventsOf = async (id: string): Promise<number> => {
      const { rowCount } = await pool.query('select from event_history where user_id = $1', [id]);
      return rowCount!;
    };
    const isPending = async (id: string): Promise<boolean> => {
      const [count] = await redis.xpending(keys.outbox(cellOfUser(id)), RELAY_GROUP);
      return Number(count) > 0;
    };
    await until(() => record('other', other));
    await until(async () => (await eventsOf(other)) === 1);
    const replicas = await findReplicas(cellOfUser(alone));
    for (const replica of replicas) replica.pause();
    expect(await record('alone', alone)).toBe(false);
    await until(() => isPending(alone));
    expect(await record('later', other)).toBe(true);
    await until(async () => (await eventsOf(other)) === 2);
    expect(await eventsOf(alone)).toBe(0);
    for (const replica of replicas) replica.resume();
    await until(async () => (await eventsOf(alone)) === 1);
    await pool.end();
  });

  test('says that a change of the configuration is in force once replicas have it', async () => {
    const metrics = await server.call('GET', '/admin/v1/metrics');
    const change = (name: string) =>
      server.call('PATCH', '/admin/v1/metrics', [{ id: metrics.body[0].id, name }]);
    const replicas = (await Promise.all(cellsOf(1, CELLS).map(findReplicas))).flat();
    for (const replica of new Set(replicas)) replica.pause();
    const refused = await change('While no replica answers');
    for (const replica of new Set(replicas)) replica.resume();
    expect(refused.status).toBe(503);
    expect(refused.body.error).toContain('The change is stored');
    await until(async () => (await change('Later')).status === 200);
  });

  test.each([
    ['erases a user', 'DELETE', '/admin/v1/users/bo', undefined],
    ['gives a user another id', 'POST', '/admin/v1/users/cy/rename', { id: 'cyril' }],
  ])('%s once a replica has that', async (_name, method, path, body) => {
    for (const id of ['bo', 'cy']) await until(() => record(`of-${id}`, id));
    const change = () => server.call(method, path, body);
    const replicas = (
      await Promise.all(['bo', 'cy', 'cyril'].map((id) => findReplicas(cellOfUser(id))))
    ).flat();
    for (const replica of replicas) replica.pause();
    expect((await change()).status).toBe(202);
    expect((await change()).status).toBe(202);
    for (const replica of replicas) replica.resume();
    await until(async () => (await change()).status === 200);
  });
});
