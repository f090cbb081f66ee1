import { expect, test } from 'vitest';
import { allCells, assertSameCells, cellOf, cellsOf, homeCellOf, slotOf } from '../../src/base/cells.ts';
import { createLog } from '../../src/base/log.ts';
import { connectRedis, whenReady } from '../../src/redis/connection/redisClient.ts';
import { keys } from '../../src/redis/keys/redisKeys.ts';
import { allKeys } from '../support/redisData.ts';
import { startTestServer } from '../support/server.ts';

const CELLS = { count: 4, spread: 1 };
const ALL = { count: 16, spread: 1 };
/** Number of the account's own tenant. */
const TENANT = 1;
const USERS = ['ann', 'bo', 'cy'];
const CONFIG = {
  settings: { idempotencyWindowSeconds: 3_600 },
  metrics: [{ key: 'lessons', name: 'Lessons' }],
  streak: { enabled: true, metrics: [{ key: 'lessons', threshold: 1 }] },
  achievements: [{ key: 'one', name: 'One', trigger: 'metric', metric: 'lessons', metricValue: 1 }],
  leaderboards: [{ key: 'all', name: 'All', rankBy: 'metric', metric: 'lessons', start: '2026-01-01' }],
};

function countsOf(numbers: readonly number[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const number of numbers) counts.set(number, (counts.get(number) ?? 0) + 1);
  return counts;
}

test('tenants are spread over all cells', () => {
  const tenants = Array.from({ length: 1_000 }, (_, i) => i + 1);
  const counts = countsOf(tenants.map((tenant) => homeCellOf(tenant, ALL)));
  expect([...counts.keys()].sort((a, b) => a - b)).toEqual(allCells(ALL));
  expect(Math.max(...counts.values())).toBeLessThan((2 * tenants.length) / 16);
});

test('users are spread evenly over the cells of their tenant', () => {
  const cells = { count: 16, spread: 8 };
  for (const nameOf of [(i: number) => `user-${i}`, String, (i: number) => `${i}${i}@example.org`]) {
    const users = Array.from({ length: 80_000 }, (_, i) => nameOf(i));
    const counts = countsOf(users.map((userId) => cellOf(TENANT, userId, cells)));
    expect([...counts.keys()].sort((a, b) => a - b)).toEqual(cellsOf(TENANT, cells).sort((a, b) => a - b));
    for (const count of counts.values()) expect(Math.abs(count - 10_000)).toBeLessThan(500);
  }
});

test('a tenant keeps its cells when it is spread over more of them', () => {
  for (const tenant of [1, 2, 77]) {
    expect(cellsOf(tenant, ALL)).toEqual([homeCellOf(tenant, ALL)]);
    const few = cellsOf(tenant, { count: 16, spread: 4 });
    expect(new Set(few).size).toBe(4);
    expect(cellsOf(tenant, { count: 16, spread: 8 })).toEqual(expect.arrayContaining(few));
    expect(cellOf(tenant, 'ann', ALL)).toBe(homeCellOf(tenant, ALL));
  }
});

test('the slots of hash tags are those of Redis Cluster', () => {
  expect(['foo', '123456789', ''].map(slotOf)).toEqual([12_182, 12_739, 0]);
});

test('the nodes of a cluster share the cells of a tenant evenly', () => {
  const counts = [0, 0, 0, 0, 0, 0];
  for (let tenant = 1; tenant <= 200; tenant++) {
    const slots = cellsOf(tenant, { count: 64, spread: 12 }).map((cell) => slotOf(String(cell)));
    const onNode = countsOf(slots.map((slot) => Math.floor((3 * slot) / 16_384)));
    counts[Math.max(...onNode.values())]!++;
  }
  expect(counts[4]! + counts[5]!).toBe(200);
  expect(counts[4]).toBeGreaterThan(150);
});

test('a start with another number of cells is refused', () => {
  expect(() => assertSameCells({ cells: 16, spread: 1 }, ALL)).not.toThrow();
  expect(() => assertSameCells({ cells: null, spread: null }, ALL)).not.toThrow();
  expect(() => assertSameCells({ cells: 64, spread: null }, ALL)).toThrow(
    'LAUREL_CELLS is 64, but this installation has 16 cells',
  );
  expect(() => assertSameCells({ cells: null, spread: 4 }, ALL)).toThrow(
    'LAUREL_SPREAD is 4, but this installation uses 1',
  );
});

test('everything of a tenant is in one slot', async () => {
  const server = await startTestServer({
    env: { LAUREL_CONFIG: 'none', LAUREL_CELLS: '4', LAUREL_SPREAD: '1' },
  });
  const redis = connectRedis(server.redisUrl, createLog('test', 'silent'));
  try {
    await whenReady(redis);
    await server.call('PUT', '/admin/v1/config', CONFIG);
    for (const id of USERS) {
      const event = { user: { id }, value: 2 };
      const { status } = await server.call('POST', '/v1/metrics/lessons/event', event, {
        'Idempotency-Key': id,
      });
      expect(status).toBe(201);
    }
    const tag = `{${homeCellOf(TENANT, CELLS)}}:`;
    const found = (await allKeys(redis)).filter((key) => !/^\{(laurel|bull)\}:/.test(key));
    const ofCell = found.filter((key) => !allCells(CELLS).some((cell) => key === keys.outbox(cell)));
    expect(ofCell.length).toBeGreaterThan(3 * USERS.length);
    expect(ofCell.filter((key) => !key.startsWith(tag))).toEqual([]);
    const slots = await Promise.all(ofCell.map((key) => redis.eval(SLOT, 0, key)));
    expect(new Set(slots).size).toBe(1);
  } finally {
    redis.disconnect();
    await server.stop();
  }
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
