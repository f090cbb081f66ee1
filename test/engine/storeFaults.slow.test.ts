import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readEnv } from '../../src/base/env.ts';
import { Metrics } from '../../src/base/metrics.ts';
import { findPostgresFault, findRedisFault } from '../../src/engine/availability/storeFaults.ts';
import { Growth, REDIS_GROWTH_MS } from '../../src/engine/availability/storeMetrics.ts';
import { connectRedis, whenReady } from '../../src/redis/connection/redisClient.ts';
import { keys } from '../../src/redis/keys/redisKeys.ts';
import { type RunningWorker, startWorker } from '../../workers/start/startWorker.ts';
import { freePort } from '../support/installation.ts';
import { emptyRedis } from '../support/redisData.ts';
import { RedisNode } from '../support/redisNode.ts';
import { callApi, startAnotherServer, startTestServer } from '../support/server.ts';
import { useServer } from '../support/useServer.ts';

/** How an installation says which store fails, and how full Redis is. */

const silent = pino({ level: 'silent' });

describe('an empty Redis', () => {
  const server = useServer();
  let worker: RunningWorker;
  let workerUrl: string;
  beforeAll(async () => {
    const port = await freePort();
    const { redisUrl, databaseUrl } = server;
    const env = readEnv({ WORKER_PORT: String(port), HOST: '127.0.0.1', LAUREL_TEST_CLOCK: '1' });
    worker = await startWorker({ ...env, redisUrl, databaseUrl }, silent);
    workerUrl = `http://127.0.0.1:${port}`;
  });
  afterAll(() => worker.stop());

  const ready = async (url: string): Promise<unknown[]> => {
    const { status, body } = await callApi(`${url}/readyz`, 'GET');
    return [status, body.status];
  };
  const metricOf = async (url: string, name: string): Promise<number> => {
    const { body } = await callApi(`${url}/metrics`, 'GET');
    const [, value] = new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, 'm').exec(body)!;
    return value === '+Inf' ? Number.POSITIVE_INFINITY : Number(value);
  };

  test('is reported by servers and workers, and so is a restore', async () => {
    for (const url of [server.url, workerUrl]) {
      await expect.poll(() => ready(url)).toEqual([200, 'ready']);
      for (const name of ['laurel_redis_ready', 'laurel_postgres_ready'])
        await expect.poll(() => metricOf(url, name)).toBe(1);
      expect(await metricOf(url, 'laurel_redis_used_bytes')).toBeGreaterThan(100_000);
      expect(await metricOf(url, 'laurel_redis_max_bytes')).toBeGreaterThan(1_000_000);
      expect(await metricOf(url, 'laurel_redis_full_in_seconds')).toBeGreaterThan(0);
    }
    const { redis } = server;
    await emptyRedis(redis);
    const isEmpty = [503, 'Redis is empty and must be restored'];
    for (const url of [server.url, workerUrl]) {
      await expect.poll(() => ready(url)).toEqual(isEmpty);
      await expect.poll(() => metricOf(url, 'laurel_redis_ready')).toBe(0);
    }
    const event = { user: { id: 'ann' }, value: 1 };
    expect(await server.call('POST', '/v1/metrics/lessons/event', event)).toMatchObject({
      status: 503,
      body: { error: 'Redis is empty and must be restored; try again' },
    });
    await redis.set(keys.restoring, '1');
    await expect.poll(() => ready(workerUrl)).toEqual([503, 'Redis is being restored']);
  });
});

describe('a store that hangs', () => {
  test('is reported within the limit of a probe', async () => {
    const home = await mkdtemp(join(tmpdir(), 'laurel-hang-'));
    const node = await RedisNode.start(home, {});
    const redis = connectRedis(`redis://127.0.0.1:${node.port}`, silent);
    await whenReady(redis);
    const fault = () => findRedisFault(redis, { count: 1, spread: 1 });
    await expect.poll(fault).toBe('Redis is empty and must be restored');
    node.pause();
    try {
      expect(await fault()).toBe('Redis is not available');
      const hanging = { query: () => new Promise(() => {}) } as unknown as Parameters<
        typeof findPostgresFault
      >[0];
      expect(await findPostgresFault(hanging)).toBe('PostgreSQL is not available');
    } finally {
      node.resume();
      redis.disconnect();
      await node.kill();
      await rm(home, { recursive: true });
    }
  });

  test('is answered 503 after the configured wait, and answers those who wait for longer', async () => {
    const home = await mkdtemp(join(tmpdir(), 'laurel-hang-'));
    const node = await RedisNode.start(home, {});
    const redis = { url: `redis://127.0.0.1:${node.port}`, stop: () => node.kill() };
    const patient = await startTestServer({ redis });
    const hasty = await startAnotherServer(patient, { LAUREL_STORE_WAIT_MS: '3000' });
    const send = ({ url }: { url: string }, id: string) =>
      callApi(`${url}/v1/metrics/lessons/event`, 'POST', { user: { id }, value: 1 });
    try {
      node.pause();
      const waiting = send(patient, 'ann');
      expect((await send(hasty, 'bob')).status).toBe(503);
      node.resume();
      expect((await waiting).status).toBe(201);
    } finally {
      node.resume();
      await hasty.stop();
      await patient.stop();
      await rm(home, { recursive: true });
    }
  });

  test('leaves no old number on the page of metrics', async () => {
    const metrics = new Metrics();
    let isAway = false;
    const read = async (): Promise<number> => {
      if (isAway) throw new Error('away');
      return 7;
    };
    metrics.gauge('one', 'x', read);
    metrics.gauges('several', 'x', ['of'], async () => [{ labels: { of: 'a' }, value: await read() }]);
    const shown = async (): Promise<string[]> => {
      const page = await metrics.registry.metrics();
      return page.split('\n').filter((line) => /^(one|several)/.test(line));
    };
    expect(await shown()).toEqual(['one 7', 'several{of="a"} 7']);
    isAway = true;
    expect(await shown()).toEqual([]);
  });
});

test('the time until Redis is full follows from the growth of the last minutes', () => {
  const growth = new Growth();
  expect(growth.secondsUntil(1_000, 100, 0)).toBe(Number.POSITIVE_INFINITY);
  // 100 bytes in 10 s.
  expect(growth.secondsUntil(1_000, 200, 10_000)).toBe(80);
  expect(growth.secondsUntil(1_000, 1_000, 20_000)).toBe(0);
  expect(growth.secondsUntil(1_000, 50, 30_000)).toBe(Number.POSITIVE_INFINITY);
  // Only the last minutes count.
  expect(growth.secondsUntil(1_000, 60, 30_000 + REDIS_GROWTH_MS)).toBe(
    (940 / 10) * (REDIS_GROWTH_MS / 1_000),
  );
});
