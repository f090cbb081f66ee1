import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { packageRoot } from '../src/base/packageRoot.ts';
import { COSTS } from '../src/sizing/costs.ts';
import { readDemand } from '../src/sizing/demand.ts';
import { bytesText, describeSizing } from '../src/sizing/describe.ts';
import { sizeFor } from '../src/sizing/sizing.ts';

const SMALL = { eventsPerSecond: 100, users: 50_000, keysPerEvent: 1, keyDays: 30 };

describe('the size of an installation', () => {
  test('is two servers, two workers and one Redis for a small load', () => {
    const { servers, workers, redis, postgres, notes } = sizeFor({ ...SMALL, eventsPerDay: 1_000_000 });
    expect({ servers, workers, primaries: redis.primaries, cells: redis.cells, notes }).toEqual({
      servers: 2,
      workers: 2,
      primaries: 1,
      cells: 16,
      notes: [],
    });
    expect(postgres).toMatchObject({ connections: 34, diskPerDay: 217e6, diskPerMonth: 6_510e6, walPerDay: 949e6 });
    // Users, keys of 30 days, and an hour of backlog.
    expect(redis.data).toBeCloseTo(50_000 * 499 + 30e6 * 10.6 + 360_000 * 506, 0);
    expect(redis.memory).toBe(2 * redis.data);
  });

  test('assumes a day at a third of the peak', () => {
    expect(sizeFor(SMALL).eventsPerDay).toBe(2_880_000);
  });

  test('asks for a cluster and for more connections when one primary or PostgreSQL cannot serve the load', () => {
    const { servers, workers, redis, notes } = sizeFor({ ...SMALL, eventsPerSecond: 50_000 });
    expect({ servers, workers, primaries: redis.primaries, cells: redis.cells }).toEqual({
      servers: 5,
      workers: 6,
      primaries: 5,
      cells: 128,
    });
    expect(notes).toEqual([expect.stringContaining('LAUREL_CELLS=128')]);
    expect(sizeFor({ ...SMALL, eventsPerSecond: 80_000 }).notes).toContainEqual(
      expect.stringContaining('max_connections'),
    );
  });

  test('grows with the load and with idempotency keys', () => {
    const without = sizeFor({ ...SMALL, keysPerEvent: 0 });
    const twice = sizeFor({ ...SMALL, eventsPerSecond: 200 });
    expect(without.redis.data).toBeLessThan(sizeFor(SMALL).redis.data);
    expect(without.redis.cores).toBeLessThan(sizeFor(SMALL).redis.cores);
    expect(twice.redis.cores).toBeCloseTo(2 * sizeFor(SMALL).redis.cores, 10);
  });

  test('is shown with the measured costs and their sources', () => {
    const text = describeSizing(sizeFor(SMALL));
    expect(text).toMatch(/^events a day +2,880,000$/m);
    for (const { what, source } of Object.values(COSTS)) expect(text).toMatch(new RegExp(`^${what} .*${source}$`, 'm'));
    expect([0, 999, 1_000, 1_500_000].map(bytesText)).toEqual(['0.00 B', '999 B', '1.00 kB', '1.50 MB']);
  });

  test('is refused for options that are no numbers in range', () => {
    const options = { eventsPerSecond: '100', users: '50000', keysPerEvent: '1', keyDays: '30' };
    expect(readDemand(options)).toEqual(SMALL);
    expect(() => readDemand({ ...options, users: 'many' })).toThrow('--users must be a number from 0 to');
    expect(() => readDemand({ ...options, keysPerEvent: '2' })).toThrow(
      '--keys-per-event must be a number from 0 to 1',
    );
    expect(() => readDemand({ ...options, eventsPerDay: '' })).toThrow('--events-per-day');
  });

  test('is documented with the costs that the program uses', () => {
    const text = readFileSync(join(packageRoot(), 'docs', 'sizing.md'), 'utf8');
    for (const { what, value, unit } of Object.values(COSTS)) expect(text).toContain(`| ${what} | ${value} ${unit} |`);
  });
});
