import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { readEnv } from '../../src/base/env.ts';
import { createLog } from '../../src/base/log.ts';
import type { StartingPage } from '../../src/base/startingPage.ts';
import { withLock } from '../../src/db/lock.ts';
import { MIGRATION_LOCK, migrate } from '../../src/db/migrate.ts';
import { createPool } from '../../src/db/pool.ts';
import type { EmbeddedService } from '../../src/embedded/embeddedService.ts';
import { startRedis } from '../../src/embedded/redis.ts';
import { connectRedis, takesWrites, whenReady } from '../../src/redis/connection/redisClient.ts';
import { unsafeSettings } from '../../src/redis/connection/safety.ts';
import { startServer } from '../../src/server/startServer.ts';
import { PROGRAM } from '../../tools/program.ts';
import { createTestDatabase } from '../support/database.ts';
import { freePort } from '../support/installation.ts';
import { RedisNode } from '../support/redisNode.ts';
import { API_KEY, callApi, PATIENT } from '../support/server.ts';
import { until } from '../support/until.ts';
import { useDirectory } from '../support/useDirectory.ts';

const log = createLog('test', 'silent');
const dataDir = useDirectory();
let redis: EmbeddedService;

beforeAll(async () => {
  redis = await startRedis({ dataDir, log });
});
afterAll(() => redis.stop());

async function withRedis<T>(use: (client: ReturnType<typeof connectRedis>) => Promise<T>): Promise<T> {
  const client = connectRedis(redis.url, log);
  await whenReady(client);
  return use(client).finally(() => client.disconnect());
}

describe('a Redis that can lose what was answered', () => {
  test.each([
    ['appendonly', 'no', 'yes'],
    ['appendfsync', 'everysec', 'always'],
    ['maxmemory-policy', 'allkeys-lru', 'noeviction'],
  ])('is found by its %s %s', async (setting, unsafe, safe) => {
    await withRedis(async (client) => {
      expect(await unsafeSettings(client)).toEqual([]);
      await client.config('SET', setting, unsafe);
      try {
        expect(await unsafeSettings(client)).toEqual([expect.stringContaining(`${setting} ${unsafe}`)]);
      } finally {
        await client.config('SET', setting, safe);
        // Until Redis has written its first append-only file, SIGTERM does not end it.
        await until(async () => /aof_rewrite_in_progress:0/.test(await client.info('persistence')));
      }
    });
  });

  test('refuses the start of a server, with the way out', async () => {
    const database = await createTestDatabase();
    await withRedis((client) => client.config('SET', 'appendfsync', 'everysec'));
    const env = {
      ...process.env,
      REDIS_URL: redis.url,
      DATABASE_URL: database.url,
      LAUREL_ADMIN_KEY: API_KEY,
      PORT: String(await freePort()),
    };
    try {
      await expect(promisify(execFile)(process.execPath, [PROGRAM, 'server'], { env })).rejects.toThrow(
        /appendfsync everysec .* LAUREL_ALLOW_UNSAFE_REDIS=1/,
      );
    } finally {
      await withRedis((client) => client.config('SET', 'appendfsync', 'always'));
      await database.drop();
    }
  });
});

test('a Redis that is lost during the start of a server is waited for', async () => {
  const database = await createTestDatabase({ isEmpty: true });
  const node = await RedisNode.start(dataDir, {});
  const holder = createPool(database.url, log);
  const redisUrl = `redis://127.0.0.1:${node.port}`;
  const env = readEnv({ PORT: '0', HOST: '127.0.0.1', LAUREL_ADMIN_KEY: API_KEY, ...PATIENT });
  let letGo = (): void => {};
  let isHeld = (): void => {};
  const held = new Promise<void>((resolve) => {
    isHeld = resolve;
  });
  // The migration waits for this lock, so the server is known to be starting.
  const lock = withLock(holder, MIGRATION_LOCK, () => {
    isHeld();
    return new Promise<void>((resolve) => {
      letGo = resolve;
    });
  });
  await held;
  const page = { step: '', close: () => Promise.resolve() } as unknown as StartingPage;
  const starting = startServer({ ...env, redisUrl, databaseUrl: database.url }, log, { page });
  await until(() => page.step === 'migrating');
  await node.kill();
  letGo();
  await lock;
  await until(async () => (await holder.query(`select 1 from tenants`).catch(() => null)) !== null);
  await node.restart();
  const server = await starting;
  await until(async () => (await callApi(`${server.url}/readyz`, 'GET')).status === 200);
  await server.stop();
  await holder.end();
  await node.kill();
  await database.drop();
});

test('a Redis that is full or read-only takes no writes', async () => {
  await withRedis(async (client) => {
    expect(await takesWrites(client)).toBe(true);
    await client.config('SET', 'maxmemory', '1');
    expect(await takesWrites(client)).toBe(false);
    await client.config('SET', 'maxmemory', '0');
    await client.replicaof('127.0.0.1', await freePort());
    expect(await takesWrites(client)).toBe(false);
    // The client connects again, to look for the primary.
    const promote = () =>
      client.replicaof('NO', 'ONE').then(
        () => true,
        () => false,
      );
    await until(promote);
    await until(() => takesWrites(client));
  });
});

test('an older program refuses a database that a newer one has migrated', async () => {
  const database = await createTestDatabase();
  const pool = createPool(database.url, log);
  await migrate(pool, systemClock.now(), log);
  const client = new pg.Client(database.url);
  await client.connect();
  await client.query(`insert into migrations (name, applied) values ('999_future.sql', now())`);
  await client.end();
  await expect(migrate(pool, systemClock.now(), log)).rejects.toThrow(
    'newer version of laurel (999_future.sql)',
  );
  await pool.end();
  await database.drop();
});
