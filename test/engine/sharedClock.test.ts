import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AdjustableClock, type ClockSetting } from '../../src/base/clock.ts';
import { createLog } from '../../src/base/log.ts';
import { connectRedis, whenReady } from '../../src/redis/connection/redisClient.ts';
import { keys } from '../../src/redis/keys/redisKeys.ts';
import { SharedClock } from '../../src/redis/state/sharedClock.ts';
import { RedisNode } from '../support/redisNode.ts';
import { START_MS } from '../support/testTime.ts';
import { until } from '../support/until.ts';

let home: string;
let node: RedisNode;
let redis: Redis;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'laurel-clock-'));
  node = await RedisNode.start(home, {});
  redis = connectRedis(`redis://127.0.0.1:${node.port}`, createLog('test', 'silent'));
  await whenReady(redis);
});
afterAll(async () => {
  redis?.disconnect();
  await node?.kill();
  await rm(home, { recursive: true, force: true });
});

test('a process that starts while Redis is away has the time of the others when Redis is back', async () => {
  await redis.set(keys.clock, JSON.stringify({ stoppedAt: START_MS } satisfies ClockSetting));
  redis.disconnect();
  const clock = new AdjustableClock();
  const shared = new SharedClock(clock, redis);
  const following = shared.follow();
  await until(async () => {
    const [, subscribers] = (await node.call('PUBSUB', 'NUMSUB', keys.clockChanges)) as [string, number];
    return subscribers === 1;
  });
  await redis.connect();
  await following;
  expect(clock.now()).toBe(START_MS);
  shared.close();
});
