import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AdjustableClock, type Clock } from '../../src/base/clock.ts';
import { readEnv } from '../../src/base/env.ts';
import { createLog, type Log } from '../../src/base/log.ts';
import { packageRoot } from '../../src/base/packageRoot.ts';
import type { Tracing } from '../../src/base/spans.ts';
import { createDefaultTenant } from '../../src/db/configuration/loadConfig.ts';
import { readCells } from '../../src/db/installation.ts';
import { createPool, type Pool } from '../../src/db/pool.ts';
import { startRedis } from '../../src/embedded/redis.ts';
import { connectRedis, whenReady } from '../../src/redis/connection/redisClient.ts';
import { SharedClock } from '../../src/redis/state/sharedClock.ts';
import { type RunningServer, startServer } from '../../src/server/startServer.ts';
import { Relay } from '../../workers/relay/relay.ts';
import { testCells } from './cells.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { relaxDisk } from './redisDatabases.ts';
import { REDIS_KIND, type TestRedis, takeNodes } from './redisKind.ts';
import { START, START_MS } from './testTime.ts';

export const API_KEY = 'testkey1.0123456789abcdef';
/** Longest headers of an answer. */
const HEADER_BYTES_MAX = 2_048;

export interface Reply {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape
  body: any;
  headers: Headers;
}

export interface TestServer {
  url: string;
  redisUrl: string;
  databaseUrl: string;
  /** The service's time: begins at START and follows the test clock. */
  clock: Clock;
  /** Writes what happens into the history, until it or the server is stopped. */
  startRelay(): Promise<Relay>;
  /** Stops the server and starts another one; at the same address when `env` names the port. */
  restart(): Promise<void>;
  /** Calls the API with the admin key; `body` makes it JSON, unless it is text or bytes. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>;
  stop(): Promise<void>;
}

export interface TestServerOptions {
  /** Configuration file by its path, the demo by default, or by its content. */
  config?: string | object;
  env?: Record<string, string>;
  /** Runs on the migrated database before the server starts. */
  prepare?(pool: Pool): Promise<void>;
  /** Another Redis than one of its own; the server stops it with itself. */
  redis?: TestRedis;
  /** Another database than one of its own; the server drops it with itself. */
  database?: TestDatabase;
  tracing?: Tracing;
}

/** A busy machine pauses for longer than a server waits by default. */
export const PATIENT = { LAUREL_STORE_WAIT_MS: '30000', LAUREL_HISTORY_WAIT_MS: '30000' };

/** Of every server that runs in the process of a test. */
export const SERVER_ENV = {
  PORT: '0',
  HOST: '127.0.0.1',
  LAUREL_ADMIN_KEY: API_KEY,
  LAUREL_TEST_CLOCK: '1',
  ...PATIENT,
};

/**
 * A whole server with a Redis and a database of its own. Its time begins at START unless `env` says
 * otherwise.
 */
export async function startTestServer({
  config,
  env = {},
  prepare,
  redis: given,
  database: givenDatabase,
  tracing,
}: TestServerOptions = {}): Promise<TestServer> {
  const dataDir = await mkdtemp(join(tmpdir(), 'laurel-test-'));
  const log = createLog('test', 'silent');
  const redis = given ?? (await startTestRedis(dataDir, log));
  const database = givenDatabase ?? (await createTestDatabase());
  if (prepare) {
    const pool = createPool(database.url, log);
    await createDefaultTenant(pool, START_MS);
    await prepare(pool);
    await pool.end();
  }
  const isContent = typeof config === 'object';
  const file = isContent ? join(dataDir, 'config.json') : join(packageRoot(), config ?? 'demo/config.yaml');
  if (isContent) await writeFile(file, JSON.stringify(config));
  const settings = readEnv({
    ...SERVER_ENV,
    LAUREL_CONFIG: file,
    LAUREL_TEST_CLOCK: START,
    LAUREL_SPREAD: String(testCells(Number(env.LAUREL_CELLS ?? 16)).spread),
    ...env,
  });
  const start = () =>
    startServer({ ...settings, redisUrl: redis.url, databaseUrl: database.url }, log, { tracing });
  let server = await start();
  const clock = new AdjustableClock();
  const clockConnection = connectRedis(redis.url, log);
  await whenReady(clockConnection);
  const sharedClock = new SharedClock(clock, clockConnection);
  await sharedClock.follow();
  const stopRelays: (() => Promise<void>)[] = [];
  const startRelay = async (): Promise<Relay> => {
    const connection = connectRedis(redis.url, log, { waitReplicas: settings.redisWaitReplicas });
    await whenReady(connection);
    const pool = createPool(database.url, log);
    const cells = (await readCells(pool))!;
    const relay = new Relay({ pool, redis: connection, clock, log, cells });
    relay.start();
    stopRelays.push(async () => {
      await relay.stop();
      connection.disconnect();
      await pool.end();
    });
    return relay;
  };
  return {
    get url() {
      return server.url;
    },
    redisUrl: redis.url,
    databaseUrl: database.url,
    clock,
    startRelay,
    restart: async () => {
      await server.stop();
      server = await start();
    },
    call: (method, path, body, headers = {}) => callApi(server.url + path, method, body, headers),
    stop: async () => {
      await Promise.all(stopRelays.map((stop) => stop()));
      await server.stop();
      sharedClock.close();
      clockConnection.disconnect();
      await Promise.all([redis.stop(), database.drop()]);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Another server on the stores of a server; the caller stops it. */
export function startAnotherServer(
  { redisUrl, databaseUrl }: TestServer,
  env: Record<string, string> = {},
): Promise<RunningServer> {
  const settings = readEnv({ ...SERVER_ENV, ...env });
  return startServer({ ...settings, redisUrl, databaseUrl }, createLog('test', 'silent'));
}

/** A Redis of its own for a server. */
export async function startTestRedis(dataDir: string, log: Log): Promise<TestRedis> {
  if (REDIS_KIND !== 'single') return takeNodes();
  const redis = await startRedis({ dataDir, log });
  await relaxDisk(redis.url);
  return redis;
}

export async function callApi(
  url: string,
  method: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Reply> {
  const response = await fetch(url, {
    method,
    headers: { 'X-API-KEY': API_KEY, 'Content-Type': 'application/json', ...headers },
    ...(body !== undefined && {
      body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
    }),
  });
  const text = await response.text();
  assertShortHeaders(response.headers, `${method} ${url}`);
  const isJson = response.headers.get('content-type') === 'application/json';
  return { status: response.status, body: isJson ? JSON.parse(text) : text, headers: response.headers };
}

/** @throws Error if a proxy might refuse the headers of an answer: nginx takes 4 kB */
function assertShortHeaders(headers: Headers, call: string): void {
  const length = [...headers].reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0);
  if (length > HEADER_BYTES_MAX) throw new Error(`${call} was answered with ${length} bytes of headers`);
}

/** Divides the account into tenants that all have this configuration. */
export async function createTenants(server: TestServer, ids: string[], config: object): Promise<void> {
  await divideAccount(server);
  for (const id of ids) await createTenant(server, id, config);
}

/** Turns multi-tenancy on. */
export function divideAccount(server: TestServer): Promise<void> {
  return change(server, 'PUT', '/admin/v1/config', { settings: { multiTenancy: true } });
}

export async function createTenant(server: TestServer, customerId: string, config: object): Promise<void> {
  await change(server, 'POST', '/admin/v1/tenants', [{ customerId, name: customerId }]);
  await change(server, 'PUT', '/admin/v1/config', config, { 'Tenant-ID': customerId });
}

/** Makes a call that has to succeed. */
export async function change(server: TestServer, ...call: Parameters<TestServer['call']>): Promise<void> {
  const { status, body } = await server.call(...call);
  if (status >= 300) throw new Error(JSON.stringify(body));
}
