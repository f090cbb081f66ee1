import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLog } from '../../src/base/log.ts';
import { isRedisOutage } from '../../src/redis/connection/redisAvailability.ts';
import { connectRedis, whenReady } from '../../src/redis/connection/redisClient.ts';
import { type RedisCluster, startRedisCluster } from '../support/redisCluster.ts';
import type { RedisNode } from '../support/redisNode.ts';
import { until } from '../support/until.ts';

const silent = createLog('test', 'silent');
const KEYS = Array.from({ length: 30 }, (_, i) => `{${i}}:key`);
const OUTAGE_MS_MAX = 1_000;

/** Redirections and refusals of one command within the time that a slot may take to move. */
const REDIRECTIONS = 60;

let cluster: RedisCluster;

beforeAll(async () => {
  cluster = await startRedisCluster();
});
afterAll(() => cluster?.stop());

describe('a connection to a cluster', () => {
  test('sends the first commands to all nodes, many at once', async () => {
    const redis = connectRedis(cluster.url, silent);
    await whenReady(redis);
    const replies = await Promise.all([...KEYS, ...KEYS].map((key) => redis.set(key, '1')));
    expect(new Set(replies)).toEqual(new Set(['OK']));
    redis.disconnect();
  });

  test('follows slots to a node that is added under load', async () => {
    const redis = connectRedis(cluster.url, silent);
    await whenReady(redis);
    const failures: unknown[] = [];
    let isOver = false;
    let sent = 0;
    const load = KEYS.map(async (key) => {
      while (!isOver) {
        await Promise.all([redis.incr(`${key}:1`), redis.incr(`${key}:2`)]).catch((error) =>
          failures.push(error),
        );
        sent += 2;
      }
    });
    await cluster.addPrimary();
    for (const key of KEYS.slice(0, 5)) {
      const slot = Number(await redis.cluster('KEYSLOT', key));
      await cluster.moveSlot(slot, cluster.nodes.length - 1);
      const before = sent;
      await until(() => sent > before + 2 * KEYS.length);
    }
    isOver = true;
    await Promise.all(load);
    expect(failures).toEqual([]);
    const counts = await Promise.all(KEYS.flatMap((key) => [redis.get(`${key}:1`), redis.get(`${key}:2`)]));
    expect(counts.reduce((sum, count) => sum + Number(count), 0)).toBe(sent);
    redis.disconnect();
  });

  test('retries a command while a slot moves for a time, however often it is redirected', async () => {
    const redis = connectRedis(cluster.url, silent);
    await whenReady(redis);
    const pair = ['{moving}:1', '{moving}:2'] as const;
    await redis.mset(pair[0], 'a', pair[1], 'b');
    const slot = Number(await redis.cluster('KEYSLOT', pair[0]));
    const [from, to] = await halfMoved(slot, pair[0]);
    const refused = await redirections();
    const values = redis.mget(...pair);
    await until(async () => (await redirections()) > refused + REDIRECTIONS);
    await cluster.moveSlot(slot, cluster.nodes.indexOf(to));
    expect(await values).toEqual(['a', 'b']);
    await cluster.moveSlot(slot, cluster.nodes.indexOf(from));
    redis.disconnect();
  });

  test('refuses commands at once while the cluster is away', async () => {
    const redis = connectRedis(cluster.url, silent, { silenceMsMax: OUTAGE_MS_MAX });
    await whenReady(redis);
    await Promise.all(KEYS.map((key) => redis.set(key, '1')));
    await Promise.all(cluster.nodes.map((node) => node.kill()));
    for (let i = 0; i < 5; i++) {
      const errors = await Promise.all(
        KEYS.map((key) =>
          redis.set(key, '1').then(
            () => null,
            (error) => error,
          ),
        ),
      );
      expect(errors.filter((error) => !isRedisOutage(error))).toEqual([]);
    }
    redis.disconnect();
  });
});

/** Begins to move a slot and moves one key of it. Commands with several keys of it are refused until it ends. */
async function halfMoved(slot: number, key: string): Promise<[from: RedisNode, to: RedisNode]> {
  const primaries = cluster.nodes.slice(0, 3);
  const counts = await Promise.all(primaries.map((node) => node.call('CLUSTER', 'COUNTKEYSINSLOT', slot)));
  const at = counts.findIndex((count) => Number(count) > 0);
  const from = primaries[at]!;
  const to = primaries[(at + 1) % primaries.length]!;
  await to.call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', String(await from.call('CLUSTER', 'MYID')));
  await from.call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', String(await to.call('CLUSTER', 'MYID')));
  await from.call('MIGRATE', '127.0.0.1', to.port, key, 0, 5_000);
  return [from, to];
}

/** Refusals and redirections that the nodes have counted. */
async function redirections(): Promise<number> {
  const stats = await Promise.all(cluster.nodes.map((node) => node.call('INFO', 'errorstats')));
  const counts = [...stats.join('\n').matchAll(/errorstat_(?:ASK|MOVED|TRYAGAIN):count=(\d+)/g)];
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
}
