import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { packageRoot } from '../../src/base/packageRoot.ts';
import { noProgress } from '../../src/base/progress.ts';
import { restore } from '../../src/commands/restore/restore.ts';
import { fixCells } from '../../src/db/installation.ts';
import { closePool, createPool, type Pool } from '../../src/db/pool.ts';
import { keepKeys } from '../../src/engine/usedKeys/keepKeys.ts';
import { runPipeline } from '../../src/redis/connection/pipeline.ts';
import { pack } from '../../src/redis/decoding/codec.ts';
import { chunksOf, FilterBuilder, KEY_FILTER, linesFor } from '../../src/redis/keys/keyFilter.ts';
import { keys, keysOfTenant } from '../../src/redis/keys/redisKeys.ts';
import { loadScript } from '../../src/redis/lua/luaLoader.ts';
import { Scripts } from '../../src/redis/scripts/scripts.ts';
import { keysOfFilter, readKeyLedger } from '../../src/redis/usedKeys/keyLedger.ts';
import { allKeys, emptyRedis } from '../support/redisData.ts';
import { CONFIG, NOON, silent, useRelaying } from '../support/relaying.ts';

const relaying = useRelaying();
const { drain } = relaying;
const DAY_MS = 86_400_000;

const at = (ms: number): void => relaying.engine.clock.set(ms);
const use = (key: string, userId = 'ann') =>
  relaying.engine.record('lessons', { user: { id: userId }, value: 1 }, key);
const statusOf = async (key: string, userId?: string): Promise<string> => (await use(key, userId)).status;

async function useAll(prefix: string, count: number): Promise<void> {
  await Promise.all(Array.from({ length: count }, (_, i) => use(`${prefix}-${i}`)));
}

/** Sets the window in force and in the stored configuration. */
async function setWindow(seconds: number | null): Promise<void> {
  const { engine, pool } = relaying;
  await engine.configure({ ...CONFIG, settings: { idempotencyWindowSeconds: seconds } });
  await pool.query('update tenants set settings = $1 where no = $2', [
    { idempotencyWindowSeconds: seconds },
    engine.tenant,
  ]);
}

/** @param interrupt runs while a filter that was built is not in use yet */
function keep(interrupt = async (): Promise<void> => {}): Promise<void> {
  const { redis, cells, clock } = relaying.engine;
  const { pool } = relaying;
  const scripts = new Scripts(redis, cells);
  const withUnlimitedPool = async <T>(work: (unlimited: Pool) => Promise<T>): Promise<T> => {
    const result = await work(pool);
    await interrupt();
    return result;
  };
  return keepKeys({ pool, redis, cells, scripts, clock, log: silent, withUnlimitedPool, hotDays: 30 });
}

/** Ends the connection that holds the lock of the upkeep of keys. */
async function loseLock(): Promise<void> {
  const { rows } = await relaying.pool.query(
    `select pg_terminate_backend(pid) as ended from pg_locks
     where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`,
  );
  expect(rows).toEqual([{ ended: true }]);
}

/** Redis keys of slices and filters, in all cells. */
const held = async (kind: 'k' | 'f'): Promise<string[]> => {
  const { redis, tenant, tenantCells } = relaying.engine;
  const patterns = tenantCells.map((cell) => `${keys.tenantPrefix(tenant, cell)}${kind}:*`);
  return (await Promise.all(patterns.map((pattern) => allKeys(redis, pattern)))).flat().sort();
};

/** What happens to events while PostgreSQL is away. */
async function withoutPostgres<T>(work: () => Promise<T>): Promise<T> {
  const { pool } = relaying;
  const query = pool.query.bind(pool);
  const away = createPool('postgres://127.0.0.1:1/away', silent);
  pool.query = away.query.bind(away) as typeof pool.query;
  try {
    return await work();
  } finally {
    pool.query = query;
    await closePool(away);
  }
}

async function loseRedis(): Promise<void> {
  const { engine, pool } = relaying;
  await fixCells(pool, { cells: engine.cells.count, spread: engine.cells.spread });
  await emptyRedis(engine.redis);
  const now = engine.clock.now();
  await restore({ pool, redis: engine.redis, progress: noProgress, now, replace: false, testClock: false });
}

describe('memory', () => {
  test('is 10 bytes a key, although no user uses two', async () => {
    const { redis } = relaying.engine;
    const KEYS = 6_000;
    for (let user = 0; user < KEYS; user += 500)
      await Promise.all(Array.from({ length: 500 }, (_, i) => use('key', `user-${user + i}`)));
    const buckets = await held('k');
    const bytes = await Promise.all(buckets.map((bucket) => redis.memory('USAGE', bucket)));
    const encodings = await Promise.all(buckets.map((bucket) => redis.object('ENCODING', bucket)));
    expect(new Set(encodings)).toEqual(new Set(['intset']));
    expect(bytes.reduce((sum, of) => sum! + of!, 0)! / KEYS).toBeLessThan(10);
    const counts = await Promise.all(buckets.map((bucket) => redis.scard(bucket)));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(KEYS);
    const again = await Promise.all(Array.from({ length: KEYS }, (_, i) => statusOf('key', `user-${i}`)));
    expect(new Set(again)).toEqual(new Set(['replayed']));
  });

  test('of keys under a window is free at most a quarter of the window after they have run out', async () => {
    await setWindow(86_400);
    at(NOON);
    await useAll('first', 500);
    at(NOON + DAY_MS / 2);
    await useAll('second', 10);
    await keep();
    expect((await held('k')).length).toBeGreaterThan(2);
    at(NOON + DAY_MS * 1.25);
    await keep();
    expect(await held('k')).toHaveLength(1);
    expect(await statusOf('second-1')).toBe('replayed');
    at(NOON + DAY_MS * 1.75);
    await keep();
    expect([...(await held('k')), ...(await held('f'))]).toEqual([]);
    expect(await statusOf('first-1')).toBe('recorded');
  });

  test('of keys that were used before the hot days is that of a filter', async () => {
    at(NOON);
    await useAll('old', 600);
    await drain();
    at(NOON + 20 * DAY_MS);
    await useAll('young', 10);
    await drain();
    at(NOON + 41 * DAY_MS);
    await keep();
    expect((await held('f')).length).toBe(1);
    const { redis, tenant, cellOf } = relaying.engine;
    const cell = cellOf('ann');
    const ledger = (await readKeyLedger(redis, tenant, cell))!;
    expect(ledger).toMatchObject({ retired: [], filterTimed: false });
    expect(await held('k')).toEqual(
      ledger.slices.map((slice) => `${keys.tenantPrefix(tenant, cell)}${keysOfTenant.keySlice(slice.id)}1`),
    );
    expect(ledger.slices).toHaveLength(1);
    expect(await use('old-1')).toMatchObject({ status: 'replayed', total: 610, usedAt: null });
    expect(await statusOf('young-1')).toBe('replayed');
    await withoutPostgres(async () => {
      await expect(use('old-2')).rejects.toMatchObject({ code: 'unavailable' });
      expect(await statusOf('young-2')).toBe('replayed');
      // The filter says of nearly all new keys that PostgreSQL need not be asked. Together, one that has to be
      // asked would refuse those after it.
      let refused = 0;
      for (let i = 0; i < 100; i++) await use(`new-${i}`).catch(() => refused++);
      expect(refused).toBeLessThan(2);
    });
    expect(await statusOf('old-2')).toBe('replayed');
  });

  test('is that of the last worker, if another one has lost its lock meanwhile', async () => {
    at(NOON);
    await useAll('old', 50);
    await drain();
    at(NOON + 20 * DAY_MS);
    await useAll('young', 50);
    await drain();
    at(NOON + 41 * DAY_MS);
    const { redis, tenant, cellOf } = relaying.engine;
    const readLedger = () => readKeyLedger(redis, tenant, cellOf('ann'));
    let ledger: Awaited<ReturnType<typeof readLedger>> = null;
    await keep(async () => {
      await loseLock();
      at(NOON + 80 * DAY_MS);
      await expect
        .poll(() =>
          keep()
            .then(readLedger)
            .then((read) => read?.filter),
        )
        .toBeGreaterThan(0);
      ledger = await readLedger();
    });
    expect(await readLedger()).toEqual(ledger);
    for (const key of ['old-1', 'young-1']) expect(await statusOf(key)).toBe('replayed');
  });
});

describe('after a loss of Redis', () => {
  test('PostgreSQL is asked about keys until a worker has built their filter', async () => {
    await useAll('lost', 30);
    await drain();
    await loseRedis();
    const { redis, tenant, tenantCells } = relaying.engine;
    const cold = tenantCells.map((cell) => `${tenant}:${cell}`);
    expect((await redis.smembers(keys.coldKeys)).sort()).toEqual(cold.sort());
    expect(await statusOf('lost-1')).toBe('replayed');
    expect(await statusOf('new-1')).toBe('recorded');
    await withoutPostgres(async () => {
      await expect(use('lost-2')).rejects.toMatchObject({ code: 'unavailable' });
      await expect(use('new-2')).rejects.toMatchObject({ code: 'unavailable' });
      // Redis has the keys that were used since.
      expect(await statusOf('new-1')).toBe('replayed');
    });
    await drain();
    await keep();
    expect(await redis.smembers(keys.coldKeys)).toEqual([]);
    expect(await statusOf('lost-3')).toBe('replayed');
    await withoutPostgres(async () => {
      expect(await statusOf('new-2')).toBe('recorded');
      await expect(use('lost-4')).rejects.toMatchObject({ code: 'unavailable' });
    });
  });

  test('later events of a user wait for the answer about a key, and keep their order', async () => {
    await useAll('lost', 2);
    await drain();
    await loseRedis();
    const { engine } = relaying;
    const totals = await Promise.all([
      engine.record('lessons', { user: { id: 'ann' }, value: 1 }),
      use('new'),
      engine.record('lessons', { user: { id: 'ann' }, value: 1 }),
      use('lost-0'),
      use('new'),
      engine.record('lessons', { user: { id: 'ann' }, value: 1 }),
    ]);
    expect(totals).toMatchObject([
      { status: 'recorded', total: 3 },
      { status: 'recorded', total: 4 },
      { status: 'recorded', total: 5 },
      { status: 'replayed', total: 5 },
      { status: 'replayed', total: 5 },
      { status: 'recorded', total: 6 },
    ]);
  });

  test('keys under a window run out as they would have, and then their filter is removed', async () => {
    await setWindow(86_400);
    at(NOON);
    await useAll('lost', 20);
    await drain();
    at(NOON + DAY_MS / 2);
    const before = await use('lost-1');
    await loseRedis();
    await setWindow(86_400);
    await keep();
    expect(await use('lost-1')).toEqual(before);
    at(NOON + DAY_MS - 1);
    expect(await statusOf('lost-2')).toBe('replayed');
    at(NOON + DAY_MS);
    expect(await statusOf('lost-2')).toBe('recorded');
    expect(await statusOf('lost-2')).toBe('replayed');
    at(NOON + 2 * DAY_MS);
    await drain();
    await keep();
    expect(await held('f')).toEqual([]);
    await withoutPostgres(async () => expect(await statusOf('another')).toBe('recorded'));
  });

  test('what an interrupted run has left is removed by the next one', async () => {
    const { redis, tenant, cell, cells } = relaying.engine;
    await useAll('some', 3);
    const scripts = new Scripts(redis, cells);
    const filter = (await scripts.editKeyLedger(tenant, cell, { reserve: true }))!;
    await scripts.editKeyLedger(tenant, cell, { retire: [keysOfFilter(filter, 3)] });
    await redis.set(`${keys.tenantPrefix(tenant, cell)}${keysOfTenant.keyFilter(filter)}2`, 'left');
    await keep();
    expect(await held('f')).toEqual([]);
    expect((await readKeyLedger(redis, tenant, cell))!.retired).toEqual([]);
    expect(await statusOf('some-1')).toBe('replayed');
  });
});

describe('a filter', () => {
  const fingerprintOf = (text: string): bigint =>
    createHash('sha256').update(text).digest().readBigInt64BE(0);
  const source = `--[[
KEYS[1]  prefix
ARGV[1]  lines
ARGV[2]  fingerprints
]]
--- @include "keyFilter"
local found = 0
for _, fingerprint in ipairs(decode(ARGV[2])) do
  if mayContain(KEYS[1], 7, tonumber(ARGV[1]), tonumber(fingerprint) / 2 ^ 64 + 0.5) then found = found + 1 end
end
return found
`;

  test('has every key, and fewer than one in 10,000 others, in 2.5 bytes each', async () => {
    const KEYS = 40_000;
    const { redis } = relaying.engine;
    const sorted = Array.from({ length: KEYS }, (_, i) => fingerprintOf(`key ${i}`)).sort((a, b) =>
      a < b ? -1 : 1,
    );
    const lines = linesFor(KEYS);
    const prefix = '{1}:1:';
    const chunks: [string, string, Buffer][] = [];
    const builder = new FilterBuilder(lines, (chunk, content) =>
      chunks.push(['set', `${prefix}${keysOfTenant.keyFilter(7)}${chunk}`, content]),
    );
    for (const fingerprint of sorted) builder.add(String(fingerprint));
    builder.finish();
    expect(chunks).toHaveLength(chunksOf(lines));
    await runPipeline(redis, chunks);
    const bytes = await Promise.all(chunks.map(([, key]) => redis.memory('USAGE', key)));
    expect(bytes.reduce((sum, of) => sum! + of!, 0)! / KEYS).toBeLessThan(2.7);

    const script = loadScript('probe.lua', (path) =>
      path === 'probe.lua' ? source : readFileSync(join(packageRoot(), 'lua', path), 'utf8'),
    );
    redis.defineCommand('probeFilter', script);
    const probe = redis as unknown as { probeFilter(...args: unknown[]): Promise<number> };
    const count = (fingerprints: bigint[]) =>
      probe.probeFilter(prefix, lines, pack(fingerprints.map(String)));
    expect(await count(sorted)).toBe(KEYS);
    const others = Array.from({ length: 200_000 }, (_, i) => fingerprintOf(`other ${i}`));
    expect(await count(others)).toBeLessThan(others.length / 10_000);
    expect(chunks[0]![2].length).toBeGreaterThan(KEY_FILTER.head);
  });
});
