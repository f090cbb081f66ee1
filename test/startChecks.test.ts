import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../src/base/clock.ts';
import { createLog } from '../src/base/log.ts';
import { packageRoot } from '../src/base/packageRoot.ts';
import { migrate } from '../src/db/migrate.ts';
import { createPool } from '../src/db/pool.ts';
import type { EmbeddedService } from '../src/embedded/embeddedService.ts';
import { startRedis } from '../src/embedded/redis.ts';
import { connectRedis, takesWrites, whenReady } from '../src/redis/connection/redisClient.ts';
import { unsafeSettings } from '../src/redis/connection/safety.ts';
import { createTestDatabase } from './support/database.ts';
import { freePort } from './support/installation.ts';
import { API_KEY } from './support/server.ts';
import { until } from './support/until.ts';

const log = createLog('test', 'silent');
let dataDir: string;
let redis: EmbeddedService;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'laurel-test-checks-'));
  redis = await startRedis({ dataDir, log });
});
afterAll(async () => {
  await redis.stop();
  await rm(dataDir, { recursive: true, force: true });
});

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
      const main = join(packageRoot(), 'dist', 'src', 'main.js');
      await expect(promisify(execFile)(process.execPath, [main, 'server'], { env })).rejects.toThrow(
        /appendfsync everysec .* LAUREL_ALLOW_UNSAFE_REDIS=1/,
      );
    } finally {
      await withRedis((client) => client.config('SET', 'appendfsync', 'always'));
      await database.drop();
    }
  });
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
  await expect(migrate(pool, systemClock.now(), log)).rejects.toThrow('newer version of laurel (999_future.sql)');
  await pool.end();
  await database.drop();
});
