import type { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cellOf } from '../../src/base/cells.ts';
import { createLog } from '../../src/base/log.ts';
import { connectRedis, whenReady } from '../../src/redis/connection/redisClient.ts';
import { Replication } from '../../src/redis/connection/replication.ts';
import { keys } from '../../src/redis/keys/redisKeys.ts';
import { testCells } from '../support/cells.ts';
import { type RedisCluster, startRedisCluster } from '../support/redisCluster.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

/** A primary may be replaced between a change and the moment in which replicas must have it. */
const CELLS = testCells(64);
const FAILURE_MS = 500;
const REPLACED = 'The primary of Redis is being replaced; try again';

let cluster: RedisCluster;
let redis: Redis;

beforeAll(async () => {
  cluster = await startRedisCluster(1, FAILURE_MS);
  redis = connectRedis(cluster.url, createLog('test', 'silent'));
  await whenReady(redis);
});
afterAll(async () => {
  redis?.disconnect();
  await cluster?.stop();
});

const slotOf = (cell: number): Promise<number> =>
  redis.cluster('KEYSLOT', keys.replicated(cell)) as Promise<number>;
/** The primary of a cell, as `hangPrimary` counts them. */
const primaryOf = async (cell: number): Promise<number> => Math.floor((3 * (await slotOf(cell))) / 16_384);

describe('a change is confirmed', () => {
  const watch = (cell: number) => new Replication(redis, 1).watch(cell);
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
    const single = connectRedis(`redis://127.0.0.1:${node!.port}`, createLog('test', 'silent'));
    await whenReady(single);
    const confirm = new Replication(single, 1).watch(0);
    single.disconnect(true);
    await new Promise((resolve) => single.once('ready', resolve));
    await expect(confirm()).rejects.toThrow(REPLACED);
    single.disconnect();
  });
});

describe('an event that is on the way while its primary is replaced', () => {
  const ROUNDS = 5;
  let server: TestServer;

  beforeAll(async () => {
    const env = { LAUREL_CELLS: String(CELLS.count), LAUREL_REDIS_WAIT_REPLICAS: '1' };
    const { url } = cluster;
    server = await startTestServer({ redis: { url, stop: async () => {} }, env });
  });
  afterAll(() => server?.stop());

  test('counts if it is answered', { timeout: ROUNDS * 60_000 }, async () => {
    const total = async (): Promise<number> =>
      (await server.call('GET', '/v1/users/ann/metrics/lessons')).body.current;
    const record = async (key: string): Promise<boolean> => {
      const event = { user: { id: 'ann' }, value: 1 };
      const path = '/v1/metrics/lessons/event';
      return (await server.call('POST', path, event, { 'Idempotency-Key': key })).status !== 503;
    };
    const primary = await primaryOf(cellOf(1, 'ann', CELLS));
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
});
