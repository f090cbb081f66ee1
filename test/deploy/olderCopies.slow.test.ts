import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { allCells, type Cells } from '../../src/base/cells.ts';
import { createLog } from '../../src/base/log.ts';
import { noProgress } from '../../src/base/progress.ts';
import { restore } from '../../src/commands/restore/restore.ts';
import { readCells } from '../../src/db/installation.ts';
import { createPool, type Pool } from '../../src/db/pool.ts';
import { hasRules } from '../../src/engine/availability/storeFaults.ts';
import { acceptGap, compareStores } from '../../src/engine/recovery/compareReceipts.ts';
import { connectRedis, whenReady } from '../../src/redis/connection/redisClient.ts';
import { keys } from '../../src/redis/keys/redisKeys.ts';
import { readReceipts } from '../../src/redis/scripts/redisReceipts.ts';
import { type PostgresNode, startPostgresNode } from '../support/postgresNode.ts';
import { RedisNode } from '../support/redisNode.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { START_MS } from '../support/testTime.ts';
import { until } from '../support/until.ts';

/** One store is replaced by an older copy of its files while a server and a relay run. */
const USERS = 20;
const silent = createLog('test', 'silent');

let home: string;
let node: RedisNode;
let postgres: PostgresNode;
let server: TestServer;
let pool: Pool;
let redis: Redis;
let cells: Cells;
let minutes: number;

beforeEach(async () => {
  minutes = 0;
  home = await mkdtemp(join(tmpdir(), 'laurel-copies-'));
  node = await RedisNode.start(home, {});
  const database = await startPostgresNode();
  postgres = database.node;
  pool = createPool(database.url, silent);
  server = await startTestServer({
    redis: { url: `redis://127.0.0.1:${node.port}`, stop: () => node.kill() },
    database: { url: database.url, drop: async () => {} },
  });
  await server.startRelay();
  redis = connectRedis(server.redisUrl, silent);
  await whenReady(redis);
  cells = (await readCells(pool))!;
});
afterEach(async () => {
  redis?.disconnect();
  await server?.stop();
  await pool?.end();
  await postgres?.remove();
  await rm(home, { recursive: true, force: true });
});

const send = (userId: string, key: string) =>
  server.call(
    'POST',
    '/v1/metrics/words/event',
    { user: { id: userId }, value: 1 },
    { 'Idempotency-Key': key },
  );

/** An event of each user, at a minute of its own, as soon as the stores take them. */
async function record(name: string): Promise<void> {
  await until(async () => {
    const now = new Date(START_MS + ++minutes * 60_000).toISOString();
    return (await server.call('POST', '/admin/v1/test-clock', { now })).status === 200;
  });
  await sendAll(name);
}

async function sendAll(name: string): Promise<void> {
  await until(async () => {
    const replies = await Promise.all(Array.from({ length: USERS }, (_, i) => send(`user-${i}`, name)));
    return replies.every(({ status }) => status < 300);
  });
}

const total = async (userId: string): Promise<number> =>
  (await server.call('GET', `/v1/users/${userId}/metrics/words`)).body.current;
async function inHistory(): Promise<number> {
  return (await postgres.query('select count(*)::int as events from event_history', 'laurel')).rows[0].events;
}
const hasEvents = (perUser: number) => async (): Promise<boolean> => (await inHistory()) === perUser * USERS;
const compare = (): Promise<number> =>
  compareStores({ pool, redis, cells }, () => readReceipts(redis, allCells(cells)));

async function replacePostgres(replace: () => Promise<void>): Promise<void> {
  await postgres.stop();
  await replace();
  await postgres.restart();
}

describe('a PostgreSQL that was restored behind Redis', () => {
  let older: string;
  let newer: string;

  beforeEach(async () => {
    older = join(home, 'older');
    newer = join(home, 'newer');
    await mkdir(older);
    await mkdir(newer);
    await record('one');
    await record('two');
    await until(hasEvents(2));
    await replacePostgres(() => postgres.copyTo(older));
    await record('three');
    await record('four');
    // A user whom the older copy does not know.
    await send('new', 'first');
    await until(async () => (await inHistory()) === 4 * USERS + 1);
    await replacePostgres(async () => {
      await postgres.copyTo(newer);
      await postgres.copyFrom(older);
    });
  });

  test('gets nothing more from relays, while events go on, until it is brought forward', async () => {
    const isOlder = /^PostgreSQL is older than Redis: it is missing \d+ relay transactions/;
    await until(() =>
      compare().then(
        () => false,
        ({ message }: Error) => isOlder.test(message),
      ),
    );
    await sendAll('five');
    expect(await total('user-0')).toBe(5);
    expect(await inHistory()).toBe(2 * USERS);
    await replacePostgres(() => postgres.copyFrom(newer));
    await until(async () => (await inHistory()) === 5 * USERS + 1);
    expect(await compare()).toBe(0);
  });

  test('may stay behind with a gap: users keep what they have, and what follows is written', async () => {
    await sendAll('five');
    await until(() => acceptGap({ pool, redis, cells }).then(() => true));
    await send('new', 'second');
    await until(async () => (await inHistory()) === 3 * USERS + 1);
    expect([await total('user-0'), await total('new')]).toEqual([5, 2]);
    expect(
      (await postgres.query('select count(*)::int as dead from dead_entries', 'laurel')).rows[0].dead,
    ).toBe(0);
    await sendAll('six');
    await until(async () => (await inHistory()) === 4 * USERS + 1);
  });

  test('is what Redis goes back to by a restore', async () => {
    await until(() => pool.query('select'));
    await restore({ pool, redis, progress: noProgress, now: START_MS, replace: true, testClock: true });
    await until(async () => (await total('user-0')) === 2);
    expect((await send('user-0', 'two')).status).toBe(202);
    await sendAll('three');
    await until(hasEvents(3));
    expect(await compare()).toBe(0);
  });

  test('is not accepted with a gap if the configuration has changed since', async () => {
    await replacePostgres(() => postgres.copyFrom(newer));
    await until(
      async () => (await server.call('POST', '/admin/v1/metrics', [{ key: 'a', name: 'A' }])).status === 201,
    );
    await replacePostgres(() => postgres.copyFrom(older));
    await until(() => pool.query('select'));
    await expect(acceptGap({ pool, redis, cells })).rejects.toThrow(
      'is missing changes of the configuration',
    );
  });
});

describe('a Redis that was restored behind PostgreSQL', () => {
  test('refuses requests until it is rebuilt from PostgreSQL, and nothing is lost or counted twice', async () => {
    const files = join(home, String(node.port));
    const older = join(home, 'older');
    await record('one');
    await until(hasEvents(1));
    await node.kill();
    await cp(files, older, { recursive: true });
    await node.restart();
    // Each in a transaction of its own: what one transaction lacks could be a failover.
    for (const [i, name] of ['two', 'three', 'four', 'five', 'six'].entries()) {
      await record(name);
      await until(hasEvents(i + 2));
    }
    await node.kill();
    await rm(files, { recursive: true });
    await cp(older, files, { recursive: true });
    await node.restart();

    await until(async () => (await redis.exists(keys.restoring)) === 1 && !(await hasRules(redis, cells)));
    expect((await send('user-0', 'seven')).status).toBe(503);
    await expect(compare()).rejects.toThrow('Redis waits to be restored');
    await restore({ pool, redis, progress: noProgress, now: START_MS, replace: false, testClock: true });
    await sendAll('six');
    expect(await total('user-0')).toBe(6);
    await sendAll('seven');
    await until(hasEvents(7));
    expect(await compare()).toBe(0);
  });

  test('is not asked for a restore by a comparison that has read it during one', async () => {
    await sendAll('one');
    await until(hasEvents(1));
    await sendAll('two');
    await until(async () => (await pool.query('select from relay_receipts where is_noted')).rowCount! > 0);
    const overlapping = compareStores({ pool, redis, cells }, async () => {
      await restore({ pool, redis, progress: noProgress, now: START_MS, replace: true, testClock: true });
      return new Map(allCells(cells).map((cell) => [cell, new Map()]));
    });
    await expect(overlapping).rejects.toThrow('Redis was restored during the comparison');
    await sendAll('three');
    expect(await compare()).toBe(0);
  });

  test('goes on if it has lost only its last changes, as in a failover', async () => {
    await sendAll('one');
    await until(hasEvents(1));
    await sendAll('two');
    await until(hasEvents(2));
    await until(async () => {
      const { rows } = await pool.query('select cells from relay_receipts where is_noted');
      if (rows.length === 0) return false;
      for (const cell of rows[0].cells) await redis.del(keys.receipts(cell));
      return true;
    });
    expect(await compare()).toBeGreaterThan(0);
    expect(await compare()).toBe(0);
  });
});
