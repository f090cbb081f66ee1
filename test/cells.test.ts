import { expect, test } from 'vitest';
import { allCells, assertSameCells, cellOf } from '../src/base/cells.ts';
import { createLog } from '../src/base/log.ts';
import { connectRedis, whenReady } from '../src/redis/connection/redisClient.ts';
import { keys } from '../src/redis/state/redisKeys.ts';
import { allKeys } from './support/redisData.ts';
import { startTestServer } from './support/server.ts';

const CELLS = 4;
/** Number of the account's own tenant. */
const TENANT = 1;
const USERS = ['ann', 'bo', 'cy'];
const CONFIG = {
  settings: { idempotencyWindowSeconds: 3_600 },
  metrics: [{ key: 'lessons', name: 'Lessons' }],
  streak: { enabled: true, metrics: [{ key: 'lessons', threshold: 1 }] },
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

test('everything of a tenant is in one slot', async () => {
  const server = await startTestServer({ env: { LAUREL_CONFIG: 'none', LAUREL_CELLS: String(CELLS) } });
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
    const tag = `{${cellOf(TENANT, CELLS)}}:`;
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
