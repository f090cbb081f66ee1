import type { Redis } from 'ioredis';
import { afterAll, beforeAll, expect } from 'vitest';
import { createLog } from '../../src/base/log.ts';
import { noProgress } from '../../src/base/progress.ts';
import { check } from '../../src/check/check.ts';
import { createPool, type Pool } from '../../src/db/pool.ts';
import type { Relay } from '../../workers/relay/relay.ts';
import type { Json } from './reading.ts';
import { openRedis } from './redisData.ts';
import { type Reply, startTestServer, type TestServer, type TestServerOptions } from './server.ts';

/** A server that the tests of a file share, with connections to its stores. Set before the first test. */
export class ConfiguredServer {
  server!: TestServer;
  pool!: Pool;
  redis!: Redis;
  relay!: Relay;

  readonly call: TestServer['call'] = (...args) => this.server.call(...args);

  readonly admin = (method: string, path: string, body?: unknown): Promise<Reply> =>
    this.call(method, `/admin/v1${path}`, body);

  /** Answers the body. */
  readonly get = async (path: string): Promise<Json> => (await this.call('GET', path)).body;

  /** The first hundred places of a leaderboard: `rank userId value`. */
  readonly ranking = async (key: string, query = ''): Promise<string[]> =>
    (await this.get(`/v1/leaderboards/${key}?limit=100${query}`)).rankings.map(
      ({ rank, userId, value }: Json) => `${rank} ${userId} ${value}`,
    );

  /** Moves the test clock, which then stands still. */
  readonly at = async (now: string): Promise<void> => {
    expect((await this.admin('POST', '/test-clock', { now, stopped: true })).status).toBe(200);
  };

  /** Expects that Redis and PostgreSQL agree about every user and ranking. */
  readonly expectSameStores = async (): Promise<void> => {
    const { pool, redis } = this;
    expect(await check({ pool, redis, progress: noProgress, all: true })).toMatchObject({ differences: [] });
  };
}

interface ConfiguredServerOptions extends Pick<TestServerOptions, 'env' | 'prepare'> {
  /** Instant at which the test clock stands still before the configuration is applied. */
  now?: string;
}

/** Starts a server and a relay for the tests of a file, and applies a configuration. */
export function useConfiguredServer(
  config: object,
  { now, env, prepare }: ConfiguredServerOptions = {},
): ConfiguredServer {
  const tests = new ConfiguredServer();
  beforeAll(async () => {
    tests.server = await startTestServer({ env: { LAUREL_CONFIG: 'none', ...env }, prepare });
    tests.pool = createPool(tests.server.databaseUrl, createLog('test', 'silent'));
    tests.redis = await openRedis(tests.server.redisUrl);
    if (now !== undefined) await tests.at(now);
    const { status, body } = await tests.admin('PUT', '/config', config);
    expect([status, body.error]).toEqual([200, undefined]);
    tests.relay = await tests.server.startRelay();
  });
  afterAll(async () => {
    tests.redis?.disconnect();
    await tests.pool?.end();
    await tests.server?.stop();
  });
  return tests;
}
