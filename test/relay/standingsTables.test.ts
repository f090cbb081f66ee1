import { afterEach, beforeEach, expect, test } from 'vitest';
import { noDeliveryRows } from '../../src/db/deliveries/writeDeliveries.ts';
import { type HistoryRows, noHistoryRows, type StreakStandingRow } from '../../src/db/history/historyRows.ts';
import { KnownDays, KnownGoals } from '../../src/db/history/knownRows.ts';
import { readFence } from '../../src/db/history/relayFence.ts';
import { writeHistory } from '../../src/db/history/writeHistory.ts';
import { forgetEmptyCounts } from '../../src/db/history/writeStandings.ts';
import { Partitions } from '../../src/db/partitions.ts';
import { createPool, type Pool } from '../../src/db/pool.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { Random } from '../support/random.ts';
import { silent } from '../support/relaying.ts';

/** Where users stand does not depend on the order in which relays write it, nor on how often. */

const TENANT = 1;
const USERS = 12;
const CHANGES = 400;
const BATCH = 25;

let database: TestDatabase;
let pool: Pool;
beforeEach(async () => {
  database = await createTestDatabase();
  pool = createPool(database.url, silent);
});
afterEach(async () => {
  await pool?.end();
  await database?.drop();
});

const rowsOf = async (query: string): Promise<unknown[]> =>
  (await pool.query({ text: query, rowMode: 'array' })).rows;
const totals = () => rowsOf('select user_id, system, total from points_totals order by 1, 2');
const counts = () =>
  rowsOf('select system, total, users::int from points_counts where users <> 0 order by 1, 2');
const countedAgain = () =>
  rowsOf(
    'select system, total, count(*)::int from points_totals where total > 0 group by 1, 2 order by 1, 2',
  );
const attributes = () => rowsOf('select user_id, attribute, value from user_attributes order by 1, 2');
const streaks = () => rowsOf('select user_id, length, last_period, longest from streak_standings order by 1');

/** Writes changes of random users in random order. Returns the rows that should result. */
async function writeRandomChanges() {
  const seed = Math.floor(Math.random() * 2 ** 32);
  console.log(`standingsTables: seed ${seed}`);
  const random = new Random(seed);
  const batches: HistoryRows[] = [];
  const expected = {
    totals: new Map<string, unknown[]>(),
    attributes: new Map<string, unknown[]>(),
    streaks: new Map<string, unknown[]>(),
  };
  const longest = new Map<string, number>();
  for (let sequence = 1; sequence <= CHANGES; sequence++) {
    if (sequence % BATCH === 1) batches.push(noHistoryRows());
    const rows = batches.at(-1)!;
    const base = { tenant: TENANT, userId: `u${random.int(1, USERS) + 10}`, sequence };
    // A batch has at most one row of a user and system.
    const isNew = !rows.pointsTotals.some(({ userId }) => userId === base.userId);
    if (!isNew) continue;
    const [system, total] = [random.int(1, 2), random.int(0, 5)];
    const value = random.int(0, 3) === 0 ? null : `v${random.int(1, 3)}`;
    const length = random.int(0, 9);
    const streak: StreakStandingRow = {
      ...base,
      frequency: 'daily',
      length,
      lastPeriod: sequence,
      longest: length,
    };
    rows.pointsTotals.push({ ...base, system, total });
    rows.userAttributes.push({ ...base, attribute: system, value });
    rows.streakStandings.push(streak);
    longest.set(base.userId, Math.max(longest.get(base.userId) ?? 0, length));
    expected.totals.set(`${base.userId} ${system}`, [base.userId, system, total]);
    expected.attributes.set(`${base.userId} ${system}`, [base.userId, system, value]);
    expected.streaks.set(base.userId, [base.userId, length, sequence]);
  }
  const known = {
    partitions: new Partitions(pool),
    knownDays: new KnownDays(),
    knownGoals: new KnownGoals(),
  };
  const fence = await readFence(pool);
  // Three relays at a time, in any order, each batch twice.
  const order = [...batches, ...batches].sort(() => random.next() - 0.5);
  for (let at = 0; at < order.length; at += 3) {
    await Promise.all(
      order
        .slice(at, at + 3)
        .map((rows) => writeHistory(pool, known, { ...rows, ...noDeliveryRows() }, fence)),
    );
  }

  const sorted = (map: Map<string, unknown[]>) => [...map.keys()].sort().map((key) => map.get(key)!);
  return {
    totals: sorted(expected.totals),
    attributes: sorted(expected.attributes),
    streaks: sorted(expected.streaks).map((row) => [...row, longest.get(row[0] as string)]),
  };
}

test('the latest change of each user counts', async () => {
  const expected = await writeRandomChanges();
  expect(await totals()).toEqual(expected.totals);
  expect(await attributes()).toEqual(expected.attributes);
  expect(await streaks()).toEqual(expected.streaks);
  expect(await counts()).toEqual(await countedAgain());
  expect((await counts()).length).toBeGreaterThan(5);
});

test('totals without users are deleted, and erased users are not counted', async () => {
  await writeRandomChanges();
  const before = await counts();
  await pool.query("delete from points_totals where user_id < 'u15'");
  expect(await counts()).toEqual(await countedAgain());
  expect(await counts()).not.toEqual(before);
  await pool.query('delete from points_totals');
  expect(await counts()).toEqual([]);
  expect((await rowsOf('select from points_counts')).length).toBeGreaterThan(0);
  await forgetEmptyCounts(pool);
  expect(await rowsOf('select from points_counts')).toEqual([]);
});
