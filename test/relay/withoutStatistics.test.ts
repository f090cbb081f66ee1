import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLog } from '../../src/base/log.ts';
import { recountCohorts } from '../../src/db/analytics/cohorts.ts';
import { readActivityAround } from '../../src/db/analytics/readAnalytics.ts';
import { createPool, type Pool } from '../../src/db/pool.ts';
import { listUsers } from '../../src/db/users/listUsers.ts';
import { readLastActive } from '../../src/db/users/readActivity.ts';
import type { UserFilter } from '../../src/db/users/userFilter.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

/** PostgreSQL has no statistics of a new or restored database, and then expects few rows of a tenant. */

const USERS = 10_000;
/** All users. */
const NO_FILTER: UserFilter = {
  control: null,
  createdFrom: null,
  createdUntil: null,
  activeFrom: null,
  activeUntil: null,
  attributes: new Map(),
  system: null,
  pointsMin: null,
  pointsMax: null,
  frequency: 'daily',
  streakMin: null,
  streakMax: null,
  streakSince: 0,
  achievement: null,
  missing: null,
  lost: null,
  blocked: null,
  now: 0,
};
const TABLES = [
  'users',
  'user_activity',
  'streak_standings',
  'user_attributes',
  'user_cohorts',
  'completed_achievements',
];
const FILL = [
  `insert into users (tenant, user_id, created_at, control, name)
   select 1, 'user-' || n, timestamptz '2026-01-01' + n * interval '1 minute', false, 'User ' || n || ' Miller' from generate_series(1, ${USERS}) as n`,
  `insert into user_activity (tenant, user_id, metric, first_day, days)
   select 1, 'user-' || n, metric, 20454, B'1' from generate_series(1, ${USERS}) as n, generate_series(0, 1) as metric`,
  `insert into streak_standings (tenant, user_id, frequency, length, last_period, longest, sequence)
   select 1, 'user-' || n, frequency, 1, 1, 1, 1
   from generate_series(1, ${USERS}) as n, unnest('{daily,weekly,monthly}'::text[]) as frequency`,
  `insert into user_attributes (tenant, user_id, attribute, value, sequence)
   select 1, 'user-' || n, 1, 'value-' || n % 7, 1 from generate_series(1, ${USERS}) as n`,
  `insert into completed_achievements (tenant, user_id, achievement, completed_at, local_date)
   select 1, 'user-' || n, 1, timestamptz '2026-01-02' + n * interval '1 second', '2026-01-02' from generate_series(1, ${USERS}) as n`,
  `insert into cohort_changes (tenant, user_id) select 1, 'user-' || n from generate_series(1, ${USERS}) as n`,
];

let database: TestDatabase;
let pool: Pool;
/**
 * PostgreSQL adds what a transaction has read to its counters when the next one begins on the same
 * connection.
 */
beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool(database.url, createLog('test', 'silent'), { connectionsMax: 1 });
  for (const table of TABLES) await pool.query(`alter table ${table} set (autovacuum_enabled = false)`);
  for (const text of FILL) await pool.query(text);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

/** Rows and index entries of user_activity that `read` makes PostgreSQL look at. */
async function rowsRead(read: () => Promise<unknown>): Promise<number> {
  const before = await counted();
  await read();
  return (await counted()) - before;
}

async function counted(): Promise<number> {
  await pool.query('select pg_stat_force_next_flush()');
  const { rows: found } = await pool.query<{ count: number }>(
    `select (seq_tup_read + coalesce(idx_tup_fetch, 0))::float8 as count from pg_stat_user_tables where relname = 'user_activity'`,
  );
  return found[0]!.count;
}

test('a recount reads the activity of each changed user once, with that of the only metric', async () => {
  let recounted = 0;
  const read = await rowsRead(async () => {
    recounted = await recountCohorts(pool, async () => (_, instant) => Math.floor(instant / 86_400_000));
  });
  expect([recounted, read]).toEqual([USERS, 2 * USERS]);
});

test('the activity of one user is read alone', async () => {
  expect(await rowsRead(() => readLastActive(pool, { tenant: 1, userId: 'user-5000' }))).toBe(1);
});

test('the activity around completions is read for each completion', async () => {
  const around = { before: Date.parse('2026-02-01'), zone: 'UTC', count: 100 };
  expect(await rowsRead(() => readActivityAround(pool, 1, 1, around))).toBe(100);
});

test('a page of users reads the activity of these users', async () => {
  const page = { query: null, order: 'created', position: null, limit: 50 } as const;
  expect(await rowsRead(() => listUsers(pool, 1, NO_FILTER, page))).toBe(50);
});

test('a search for a word of all users reads the activity of those on the page', async () => {
  const page = { query: 'miller', order: 'id', position: null, limit: 50 } as const;
  const first = await listUsers(pool, 1, NO_FILTER, page);
  expect(await rowsRead(() => listUsers(pool, 1, NO_FILTER, { ...page, position: first.next }))).toBe(50);
});
