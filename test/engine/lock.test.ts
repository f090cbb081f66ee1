import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createLog } from '../../src/base/log.ts';
import { withLock } from '../../src/db/lock.ts';
import { createPool, type Pool } from '../../src/db/pool.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

const ROUNDS = 100;
const REFUSAL = 'is taken';

let database: TestDatabase;
let pool: Pool;
/** Each test has a lock of its own. */
let key = 0;
beforeAll(async () => {
  database = await createTestDatabase({ isEmpty: true });
  pool = createPool(database.url, createLog('test', 'silent'));
});
afterAll(async () => {
  await pool?.end();
  await database?.drop();
});

beforeEach(() => {
  key++;
});

const lock = <T>(work: () => Promise<T>): Promise<T> => withLock(pool, key, work, REFUSAL);

test('a lock is refused while work is done under it', async () => {
  await lock(async () => {
    await expect(lock(async () => {})).rejects.toThrow(REFUSAL);
  });
});

test('a lock is free as soon as its work has ended', async () => {
  const other = await pool.connect();
  const isFree = async (): Promise<boolean> =>
    (await other.query('select pg_try_advisory_xact_lock($1) as free', [key])).rows[0].free;
  try {
    for (let round = 0; round < ROUNDS; round++) {
      await lock(async () => {});
      expect(await isFree()).toBe(true);
      await expect(lock(() => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
      expect(await isFree()).toBe(true);
    }
  } finally {
    other.release();
  }
});

test('work that has ended counts, even if the connection of its lock is lost', async () => {
  const answer = await lock(async () => {
    await pool.query(
      `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and database =
         (select oid from pg_database where datname = current_database())`,
    );
    return 'done';
  });
  expect(answer).toBe('done');
});
