import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { parse } from 'yaml';
import type { Clock } from '../../src/base/clock.ts';
import { readEnv } from '../../src/base/env.ts';
import { createLog } from '../../src/base/log.ts';
import { packageRoot } from '../../src/base/packageRoot.ts';
import { noProgress } from '../../src/base/progress.ts';
import { check } from '../../src/commands/check/check.ts';
import { DEFAULT_TENANT } from '../../src/db/configuration/loadConfig.ts';
import { createPool, type Pool } from '../../src/db/pool.ts';
import type { Relay } from '../../workers/relay/relay.ts';
import { type RunningWorker, startWorker } from '../../workers/start/startWorker.ts';
import type { Json } from './reading.ts';
import { openRedis } from './redisData.ts';
import {
  createTenant,
  divideAccount,
  type Reply,
  SERVER_ENV,
  startTestServer,
  type TestServer,
  type TestServerOptions,
} from './server.ts';
import { until } from './until.ts';

type Content = object | (() => object | Promise<object>);

export interface ServerOptions extends Omit<TestServerOptions, 'config'> {
  /** A configuration file by its path (the demo by default) or by its content; `none` for none at all. */
  config?: string | Content;
  /** Instant at which the test clock stands still before the content of a file is applied. */
  now?: string;
  relay?: boolean;
  worker?: boolean;
  /** Gives each test a tenant of its own, with this configuration. */
  tenantEach?: boolean;
  /** Gives each test a server of its own. */
  serverEach?: boolean;
}

/**
 * The server of a test file, with connections to its stores and the calls that most tests make. It runs from the
 * first test on, or from the first `beforeAll` after `useServer`.
 */
export class ServerUnderTest implements TestServer {
  redis!: Redis;
  relay!: Relay;
  /** Customer id of the tenant of this test, if each test has its own. All calls are made for it. */
  tenant: string | null = null;
  /** Number of this tenant, in keys of Redis and rows of PostgreSQL. */
  no: number = DEFAULT_TENANT;
  #running: TestServer | undefined;
  #pool: Pool | undefined;
  #worker: RunningWorker | undefined;
  #env: Record<string, string> = {};
  #tenants = 0;

  get #server(): TestServer {
    if (this.#running === undefined) throw new Error('the server is not running');
    return this.#running;
  }

  get url(): string {
    return this.#server.url;
  }

  get redisUrl(): string {
    return this.#server.redisUrl;
  }

  get databaseUrl(): string {
    return this.#server.databaseUrl;
  }

  get clock(): Clock {
    return this.#server.clock;
  }

  get pool(): Pool {
    this.#pool ??= createPool(this.databaseUrl, createLog('test', 'silent'));
    return this.#pool;
  }

  readonly restart = (): Promise<void> => this.#server.restart();

  readonly startRelay = async (): Promise<Relay> => {
    this.relay = await this.#server.startRelay();
    return this.relay;
  };

  readonly call = (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Reply> => {
    const all = this.tenant === null ? headers : { 'Tenant-ID': this.tenant, ...headers };
    return this.#server.call(method, path, body, all);
  };

  /** Calls the Admin API. */
  readonly admin = (
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Reply> => this.call(method, `/admin/v1${path}`, body, headers);

  /** The body that a call is answered with, which must succeed. */
  readonly answer = async (
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Json> => {
    const reply = await this.call(method, path, body, headers);
    expect(reply.status, JSON.stringify(reply.body)).toBeLessThan(300);
    return reply.body;
  };

  readonly get = (path: string): Promise<Json> => this.answer('GET', path);

  /** Creates one item by the Admin API, and answers it. */
  readonly create = async (path: string, item: object): Promise<Json> => {
    const { issues, created } = await this.answer('POST', `/admin/v1${path}`, [item]);
    expect(issues).toEqual([]);
    return created[0];
  };

  /** Applies the content of a configuration file. */
  readonly configure = (config: object): Promise<Json> => this.answer('PUT', '/admin/v1/config', config);

  /** Records an event that counts, and answers what it changed. */
  readonly record = async (
    user: string | object,
    value = 1,
    metric = 'lessons',
    more: object = {},
  ): Promise<Json> => {
    const event = { user: typeof user === 'string' ? { id: user } : user, value, ...more };
    const reply = await this.call('POST', `/v1/metrics/${metric}/event`, event);
    expect(reply.status, JSON.stringify(reply.body)).toBe(201);
    return reply.body;
  };

  /** Moves the test clock, which then stands still. @param now as ISO 8601, or ms */
  readonly moveTo = async (now: string | number): Promise<void> => {
    await this.answer('POST', '/admin/v1/test-clock', { now: new Date(now).toISOString(), stopped: true });
  };

  /** Waits until the relay has moved everything to PostgreSQL that happened before. */
  readonly relayed = async (): Promise<void> => {
    await until(async () => (await this.call('GET', '/admin/v1/status')).body.outbox.entries === 0);
  };

  /** The first hundred places of a leaderboard: `rank userId value`. */
  readonly ranking = async (key: string, query = ''): Promise<string[]> =>
    (await this.get(`/v1/leaderboards/${key}?limit=100${query}`)).rankings.map(
      ({ rank, userId, value }: Json) => `${rank} ${userId} ${value}`,
    );

  /** Id of a configured item, by its path in the Admin API and its key. */
  readonly idOf = async (path: string, key: string): Promise<string> =>
    (await this.get(`/admin/v1${path}?limit=100`)).find((item: Json) => item.key === key).id;

  /** Expects that Redis and PostgreSQL agree about every user and ranking. */
  readonly expectSameStores = async (): Promise<void> => {
    const { pool, redis } = this;
    expect(await check({ pool, redis, progress: noProgress, all: true })).toMatchObject({ differences: [] });
  };

  readonly startWorker = async (): Promise<void> => {
    const { redisUrl, databaseUrl } = this;
    const settings = readEnv({ ...SERVER_ENV, ...this.#env });
    this.#worker = await startWorker({ ...settings, redisUrl, databaseUrl }, createLog('test', 'silent'));
  };

  readonly stopWorker = async (): Promise<void> => {
    await this.#worker?.stop();
    this.#worker = undefined;
  };

  /** Gives the test another tenant. */
  readonly createTenant = async (config: object): Promise<void> => {
    this.tenant = `tenant-${++this.#tenants}`;
    await createTenant(this.#server, this.tenant, config);
    const { rows } = await this.pool.query('select no from tenants where customer_id = $1', [this.tenant]);
    this.no = rows[0].no;
  };

  async start({ config, now, relay, worker, tenantEach, ...options }: ServerOptions): Promise<void> {
    const content = typeof config === 'function' && !tenantEach ? await config() : config;
    const isLater = now !== undefined && typeof content === 'object';
    const isNone = tenantEach || isLater || content === 'none';
    this.#env = { ...(isNone && { LAUREL_CONFIG: 'none' }), ...options.env };
    this.#running = await startTestServer({
      ...options,
      config: isNone ? undefined : content,
      env: this.#env,
    });
    this.redis = await openRedis(this.redisUrl);
    if (now !== undefined) await this.moveTo(now);
    if (tenantEach) await divideAccount(this.#server);
    else if (isLater) await this.configure(content);
    if (relay) await this.startRelay();
    if (worker) await this.startWorker();
  }

  readonly stop = async (): Promise<void> => {
    const [server, pool] = [this.#running, this.#pool];
    this.#running = this.#pool = undefined;
    await this.stopWorker();
    this.redis?.disconnect();
    await pool?.end();
    await server?.stop();
  };
}

/** A function if they are known only when the tests begin. */
type LaterOptions = ServerOptions | (() => ServerOptions | Promise<ServerOptions>);

/** Starts a server for the tests of a file or of a `describe`, and stops it after them. */
export function useServer(options: LaterOptions = {}): ServerUnderTest {
  return runServer(new ServerUnderTest(), options);
}

/** The same for a server that can do more. */
export function runServer<Server extends ServerUnderTest>(server: Server, options: LaterOptions): Server {
  let found: ServerOptions;
  const start = async (): Promise<void> => {
    found = typeof options === 'function' ? await options() : options;
    await server.start(found);
  };
  const isEach = typeof options !== 'function' && options.serverEach;
  if (isEach) beforeEach(start);
  else beforeAll(start);
  beforeEach(async () => {
    if (found.tenantEach) await server.createTenant(await contentOf(found.config ?? {}));
  });
  if (isEach) afterEach(server.stop);
  else afterAll(server.stop);
  return server;
}

async function contentOf(config: string | Content): Promise<object> {
  if (typeof config === 'string') return parse(readFileSync(join(packageRoot(), config), 'utf8'));
  return typeof config === 'function' ? config() : config;
}
