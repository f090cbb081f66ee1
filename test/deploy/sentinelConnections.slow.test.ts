import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createLog } from '../../src/base/log.ts';
import { connectForJobs, connectRedis, whenReady } from '../../src/redis/connection/redisClient.ts';
import { type RedisWithSentinels, startRedisWithSentinels } from '../support/redisSentinel.ts';
import { until } from '../support/until.ts';

const silent = createLog('test', 'silent');
const KEY = 'key';

let stores: RedisWithSentinels;

beforeEach(async () => {
  stores = await startRedisWithSentinels(1);
});
afterEach(() => stores.stop());

describe('a connection behind Sentinels', () => {
  test.each([
    ['of a server', connectRedis],
    ['of jobs', connectForJobs],
  ])('%s follows a failover that ends while it asks for the primary', async (_, connect) => {
    const redis = connect(stores.url, silent);
    await whenReady(redis);
    // The connection asks this Sentinel first, and hears of the failover from the others while it waits for
    // the answer.
    stores.sentinels[0]!.pause();
    await stores.nodes[0]!.kill();
    for (const sentinel of stores.sentinels.slice(1)) await until(() => stores.namesAnother(sentinel));
    stores.sentinels[0]!.resume();
    await until(async () => (await redis.set(KEY, '1')) === 'OK');
    redis.disconnect();
  });

  test('follows a failover although a Sentinel hangs', async () => {
    const redis = connectRedis(stores.url, silent);
    await whenReady(redis);
    stores.sentinels[0]!.pause();
    await stores.nodes[0]!.kill();
    await until(async () => (await redis.set(KEY, '1')) === 'OK');
    redis.disconnect();
  });

  test('adds no listeners while it tries to connect', async () => {
    const warnings: string[] = [];
    const note = ({ message }: Error) => void warnings.push(message);
    process.on('warning', note);
    const redis = connectRedis(stores.url, silent);
    await whenReady(redis);
    let attempts = 0;
    redis.on('close', () => attempts++);
    for (const node of stores.nodes) await node.kill();
    await until(() => attempts > 2 * EventEmitter.defaultMaxListeners);
    redis.disconnect();
    process.off('warning', note);
    expect(warnings).toEqual([]);
  });

  test('that is closed asks and hears no Sentinel any more', async () => {
    const redis = connectRedis(stores.url, silent);
    await whenReady(redis);
    const clients = async () => String(await stores.sentinels[0]!.call('CLIENT', 'LIST', 'TYPE', 'pubsub'));
    const listeners = async () =>
      (await clients()).split('\n').filter((line) => line.includes('cmd=subscribe')).length;
    await until(async () => (await listeners()) === 1);
    await redis.quit();
    await until(async () => (await listeners()) === 0);
  });
});
