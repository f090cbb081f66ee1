import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLog } from '../../src/base/log.ts';
import { ensurePartition } from '../../src/db/partitions.ts';
import { createPool, type Pool, transaction } from '../../src/db/pool.ts';
import type { Rows } from '../../src/db/rows.ts';
import { readAwards } from '../../src/db/users/readUserHistory.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

/**
 * A user with many events, each with an award of system 1; two events also have one of system 2. Boost 3
 * multiplied all awards.
 */

const EVENTS = 5_000;
const USER = { tenant: 1, userId: 'ann' };

let database: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool(database.url, createLog('test', 'silent'));
  await transaction(pool, (client) => ensurePartition(client, 'month', Date.parse('2026-11-01')));
  await pool.query(`insert into user_numbers (tenant, user_id) values (1, 'ann')`);
  await pool.query(`insert into recorded_events (recorded_at, sequence, value, total, event_id, user_no, metric, local_date, awards)
    select timestamptz '2026-11-01' + n * interval '1 second', n, 1, n, gen_random_uuid(), no, 1, '2026-11-01',
      '[[1,5,10,' || n * 10 || ',[3]]' || case when n in (20, 30) then ',[2,6,7,' || n || ']' else '' end || ']'
    from user_numbers, generate_series(1, ${EVENTS}) as n`);
  await pool.query('analyze recorded_events');
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

interface Plan {
  'Node Type': string;
  'Actual Loops': number;
  Plans?: Plan[];
}

/** Events whose awards are unpacked by a read of a system's awards. */
async function countUnpacked(system: number): Promise<number> {
  const explain: Rows = {
    query: ({ text, values }) => pool.query(`explain (analyze, format json) ${text}`, values),
  };
  const [explained] = (await readAwards(explain, USER, system, 10)) as unknown[] as {
    'QUERY PLAN': [{ Plan: Plan }];
  }[];
  const plan = explained!['QUERY PLAN'][0].Plan;
  const loopsOf = (node: Plan): number =>
    (node['Node Type'] === 'Function Scan' ? node['Actual Loops'] : 0) +
    (node.Plans ?? []).reduce((sum, below) => sum + loopsOf(below), 0);
  return loopsOf(plan);
}

test('awards of a system are those of that system, newest first', async () => {
  const totals = async (system: number): Promise<number[]> =>
    (await readAwards(pool, USER, system, 3)).map(({ total }) => total);
  expect(await totals(1)).toEqual([EVENTS, EVENTS - 1, EVENTS - 2].map((n) => n * 10));
  expect(await totals(2)).toEqual([30, 20]);
  expect(await totals(3)).toEqual([]);
  expect(await totals(4)).toEqual([]);
});

test('a read of awards unpacks only events that may have one', async () => {
  expect(await countUnpacked(2)).toBe(2);
  expect(await countUnpacked(4)).toBe(0);
  expect(await countUnpacked(1)).toBeLessThan(20);
});
