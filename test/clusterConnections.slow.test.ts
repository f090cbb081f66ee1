import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLog } from '../src/base/log.ts';
import { isRedisOutage } from '../src/redis/connection/redisAvailability.ts';
import { connectRedis, whenReady } from '../src/redis/connection/redisClient.ts';
import { type RedisCluster, startRedisCluster } from './support/redisCluster.ts';
import { until } from './support/until.ts';

const silent = createLog('test', 'silent');
const KEYS = Array.from({ length: 30 }, (_, i) => `{${i}}:key`);
const OUTAGE_MS_MAX = 1_000;

let cluster: RedisCluster;

beforeAll(async () => {
  cluster = await startRedisCluster();
}, 60_000);
afterAll(() => cluster?.stop());

describe('a connection to a cluster', () => {
  test('sends the first commands to all nodes, many at once', async () => {
    const redis = connectRedis(cluster.url, silent);
    await whenReady(redis);
    const replies = await Promise.all([...KEYS, ...KEYS].map((key) => redis.set(key, '1')));
    expect(new Set(replies)).toEqual(new Set(['OK']));
    redis.disconnect();
  });

  test('follows slots to a node that is added under load', { timeout: 60_000 }, async () => {
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

  test('refuses commands at once while the cluster is away', async () => {
    const redis = connectRedis(cluster.url, silent, { silenceMsMax: OUTAGE_MS_MAX });
    await whenReady(redis);
    await Promise.all(KEYS.map((key) => redis.set(key, '1')));
    await Promise.all(cluster.nodes.map((node) => node.kill()));
    for (let i = 0; i < 5; i++) {
      const start = performance.now();
      const errors = await Promise.all(
        KEYS.map((key) =>
          redis.set(key, '1').then(
            () => null,
            (error) => error,
          ),
        ),
      );
      expect(performance.now() - start).toBeLessThan(OUTAGE_MS_MAX);
      expect(errors.filter((error) => !isRedisOutage(error))).toEqual([]);
    }
    redis.disconnect();
  });
});
