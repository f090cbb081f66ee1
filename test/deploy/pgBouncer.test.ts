import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readEnv } from '../../src/base/env.ts';
import { createLog } from '../../src/base/log.ts';
import { noProgress } from '../../src/base/progress.ts';
import { restore } from '../../src/commands/restore/restore.ts';
import { holdFence } from '../../src/db/history/relayFence.ts';
import { migrate } from '../../src/db/migrate.ts';
import { createPool } from '../../src/db/pool.ts';
import { connectRedis, whenReady } from '../../src/redis/connection/redisClient.ts';
import { type RunningWorker, startWorker } from '../../workers/start/startWorker.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { PGBOUNCER, type PgBouncer, startPgBouncer } from '../support/pgBouncer.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { START_MS } from '../support/testTime.ts';
import { until } from '../support/until.ts';

const USERS = 40;
const silent = createLog('test', 'silent');

if (PGBOUNCER === null) console.log('PgBouncer is not installed, so its tests are skipped');

describe.skipIf(PGBOUNCER === null)('behind PgBouncer, with a connection for each transaction', () => {
  let database: TestDatabase;
  let bouncer: PgBouncer;
  let server: TestServer;
  let worker: RunningWorker;

  beforeAll(async () => {
    database = await createTestDatabase({ isEmpty: true });
    bouncer = await startPgBouncer(database.url, 4);
    // Several processes migrate at the same time.
    const migrations = Array.from({ length: 4 }, async () => {
      const pool = createPool(bouncer.url, silent);
      try {
        return await migrate(pool, START_MS, silent);
      } finally {
        await pool.end();
      }
    });
    const applied = (await Promise.all(migrations)).filter((names) => names.length > 0);
    expect(applied).toHaveLength(1);
    server = await startTestServer({
      database: {
        url: bouncer.url,
        drop: async () => {
          await bouncer.stop();
          await database.drop();
        },
      },
    });
    const env = readEnv({ LAUREL_TEST_CLOCK: '1' });
    worker = await startWorker({ ...env, redisUrl: server.redisUrl, databaseUrl: bouncer.url }, silent);
  });
  afterAll(async () => {
    await worker?.stop();
    await server?.stop();
  });

  const ranking = async (): Promise<unknown> =>
    (await server.call('GET', '/v1/leaderboards/weekly?limit=100')).body;

  test('events are recorded, relayed and read from the history', async () => {
    for (let round = 0; round < 5; round++) {
      const replies = await Promise.all(
        Array.from({ length: USERS }, (_, i) =>
          server.call('POST', '/v1/metrics/words/event', {
            user: { id: `user-${i}`, tz: 'UTC' },
            value: i + 1,
          }),
        ),
      );
      expect(replies.filter(({ status }) => status !== 201)).toEqual([]);
    }
    const reads = await Promise.all(
      Array.from({ length: USERS }, (_, i) =>
        server.call(
          'GET',
          `/v1/users/user-${i}/metrics/words/event-summary?aggregation=daily&startDate=2026-11-01&endDate=2026-11-30`,
        ),
      ),
    );
    const sums = reads.map(({ body }) =>
      body.reduce((sum: number, day: { change: number }) => sum + day.change, 0),
    );
    expect(sums).toEqual(Array.from({ length: USERS }, (_, i) => 5 * (i + 1)));
  });

  test('the configuration is changed by several clients at once', async () => {
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        server.call('POST', '/admin/v1/metrics', [{ key: `m${i}`, name: `M ${i}` }]),
      ),
    );
    expect(replies.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 201));
  });

  test('a URL without pgbouncer=true is refused with what to do', async () => {
    const pool = createPool(bouncer.url.replace('?pgbouncer=true', ''), silent);
    await expect(pool.query('select 1')).rejects.toThrow('add pgbouncer=true');
    await pool.end();
  });

  test('Redis is restored, by one of two restores at a time', async () => {
    const before = await ranking();
    const pool = createPool(bouncer.url, silent);
    const redis = connectRedis(server.redisUrl, silent);
    await whenReady(redis);
    const options = { pool, redis, progress: noProgress, now: START_MS, replace: true, testClock: true };
    // The one that has the lock waits for the fence until the other one has been refused.
    const client = await pool.connect();
    await client.query('begin');
    await holdFence(client);
    const restores = [restore(options), restore(options)];
    await expect(Promise.race(restores)).rejects.toThrow('another restore is under way');
    await client.query('rollback');
    client.release();
    const results = await Promise.allSettled(restores);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    redis.disconnect();
    await pool.end();
    await until(async () => (await server.call('GET', '/readyz')).status === 200);
    expect(await ranking()).toEqual(before);
  });
});
