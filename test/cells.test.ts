import type { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allCells, assertSameCells, cellOf } from '../src/base/cells.ts';
import { createLog } from '../src/base/log.ts';
import { createPool, type Pool } from '../src/db/pool.ts';
import { foldRelayedStates } from '../src/engine/recovery/snapshots.ts';
import { connectRedis, whenReady } from '../src/redis/connection/client.ts';
import { pack } from '../src/redis/scripts/codec.ts';
import { readRelayLag } from '../src/redis/scripts/outbox.ts';
import { keys } from '../src/redis/state/keys.ts';
import { boardsOf } from '../src/redis/state/userState.ts';
import { restore } from '../src/restore/restore.ts';
import { allKeys } from './support/redisData.ts';
import { isCluster } from './support/redisKind.ts';
import { startTestServer, type TestServer } from './support/server.ts';
import { until } from './support/until.ts';

const CELLS = 4;
/** Number of the account's own tenant. */
const TENANT = 1;
const USERS = ['ann', 'bo', 'cy'];
const silent = createLog('test', 'silent');
const quiet = { begin: () => {}, advance: () => {}, end: () => {} };
const CONFIG = {
  settings: { idempotencyWindowSeconds: 3_600 },
  metrics: [{ key: 'lessons', name: 'Lessons' }],
  streak: { enabled: true, conditions: [{ metric: 'lessons', threshold: 1 }] },
  achievements: [{ key: 'one', name: 'One', trigger: 'metric', metric: 'lessons', value: 1 }],
  leaderboards: [{ key: 'all', name: 'All', rankBy: 'metric', metric: 'lessons', start: '2026-01-01' }],
};

test('tenants are spread over all cells', () => {
  const tenants = Array.from({ length: 1_000 }, (_, i) => i + 1);
  const counts = new Map<number, number>();
  for (const tenant of tenants) counts.set(cellOf(tenant, 16), (counts.get(cellOf(tenant, 16)) ?? 0) + 1);
  expect([...counts.keys()].sort((a, b) => a - b)).toEqual(allCells(16));
  expect(Math.max(...counts.values())).toBeLessThan((2 * tenants.length) / 16);
});

test('a start with another number of cells is refused', () => {
  expect(() => assertSameCells(16, 16)).not.toThrow();
  expect(() => assertSameCells(null, 16)).not.toThrow();
  expect(() => assertSameCells(64, 16)).toThrow('LAUREL_CELLS is 64, but this installation was made with 16');
});

describe('an installation', () => {
  let server: TestServer;
  let redis: Redis;
  let pool: Pool;

  const event = (id: string, key: string) =>
    server.call('POST', '/v1/metrics/lessons/event', { user: { id }, value: 2 }, { 'Idempotency-Key': key });
  const isRelayed = () => until(async () => (await readRelayLag(redis, CELLS)).entries === 0);
  const rankings = async () => (await server.call('GET', '/v1/leaderboards/all')).body.rankings;
  const restoreNow = () =>
    restore({ pool, redis, progress: quiet, now: Date.now(), replace: true, testClock: true, testClockStart: null });

  beforeAll(async () => {
    server = await startTestServer({ env: { LAUREL_CONFIG: 'none', LAUREL_CELLS: String(CELLS) } });
    redis = connectRedis(server.redisUrl, silent);
    await whenReady(redis);
    pool = createPool(server.databaseUrl, silent);
    await server.call('PUT', '/admin/v1/config', CONFIG);
    await server.startRelay();
    for (const id of USERS) expect((await event(id, id)).status).toBe(201);
    await isRelayed();
    await foldRelayedStates(pool, { wait: true });
  });
  afterAll(async () => {
    redis?.disconnect();
    await pool?.end();
    await server?.stop();
  });

  test('keeps everything of a tenant in one slot', async () => {
    const tag = `{${cellOf(TENANT, CELLS)}}:`;
    const found = (await allKeys(redis)).filter((key) => !/^\{(laurel|bull)\}:/.test(key));
    const ofCell = found.filter((key) => !allCells(CELLS).some((cell) => key === keys.outbox(cell)));
    expect(ofCell.length).toBeGreaterThan(3 * USERS.length);
    expect(ofCell.filter((key) => !key.startsWith(tag))).toEqual([]);
    const slots = await Promise.all(ofCell.map((key) => redis.eval(SLOT, 0, key)));
    expect(new Set(slots).size).toBe(1);
  });

  describe('with the keys of an earlier version', () => {
    let before: unknown;

    // Versions before cells did not run on a cluster.
    const here = test.skipIf(isCluster);

    beforeAll(async () => {
      if (isCluster) return;
      before = await rankings();
      await toLayout1(redis, pool);
      await server.restart();
    });

    here('answers 503 and changes nothing', async () => {
      const stored = await allKeys(redis);
      expect((await event('ann', 'later')).status).toBe(503);
      expect(await allKeys(redis)).toEqual(stored);
    });

    here('is not brought over while its outboxes have entries', async () => {
      const id = await redis.xadd(keys.outbox(9), '*', 'fn', 'recordEvents');
      await expect(restoreNow()).rejects.toThrow('Redis has 1 outbox entries of an earlier version');
      await redis.xdel(keys.outbox(9), id!);
    });

    here('is brought over by a restore', async () => {
      await restoreNow();
      expect(await redis.exists('{1:rules}', '{3}:1:u:old', '{laurel}:jobs:email:wait')).toBe(0);
      expect(await rankings()).toEqual(before);
      expect((await event('ann', 'ann')).status).toBe(202);
      const { status, body } = await event('bo', 'again');
      expect(status).toBe(201);
      expect(body).toMatchObject({ total: 4, leaderboards: { all: { rank: 1 } } });
      await isRelayed();
    });
  });
});

/** CRC16 as Redis Cluster computes it, of the hash tag of a key. */
const SLOT = `
local tag = string.match(ARGV[1], '{(.-)}')
local crc = 0
for i = 1, #tag do
  crc = bit.bxor(crc, bit.lshift(string.byte(tag, i), 8))
  for _ = 1, 8 do
    crc = bit.band(bit.band(crc, 0x8000) ~= 0 and bit.bxor(bit.lshift(crc, 1), 0x1021) or bit.lshift(crc, 1), 0xffff)
  end
end
return crc % 16384`;

/** Turns the installation into one of the version before cells: other names of keys, and tickets with three more digits. */
async function toLayout1(redis: Redis, pool: Pool): Promise<void> {
  const cell = cellOf(TENANT, CELLS);
  await redis.rename(keys.rules(TENANT, cell), '{1:rules}');
  await redis.del(keys.layout, keys.version(TENANT, cell));
  await redis.hset('{3}:1:u:old', 'h', 'state');
  await redis.rpush('{laurel}:jobs:email:wait', 'job');
  await pool.query(`insert into installation (name, value) values ('shards', '16')`);
  const text = (value: string): string => pack(value).toString('latin1');
  const { rows } = await pool.query<{ userId: string; hot: Buffer }>(
    'select user_id as "userId", hot from user_snapshots',
  );
  for (const { userId, hot } of rows) {
    const { ticket } = [...boardsOf(hot).values()][0]!;
    const old = Buffer.from(hot.toString('latin1').replace(text(ticket!), text(`${ticket}00a`)), 'latin1');
    await pool.query('update user_snapshots set hot = $2 where user_id = $1', [userId, old]);
  }
}
