import type { Redis } from 'ioredis';
import type { Progress } from '../base/progress.ts';
import { restartOpenActivations } from '../db/activations.ts';
import { loadConfig } from '../db/configuration.ts';
import { readFinalRuns } from '../db/finalRuns.ts';
import { getFact } from '../db/installation.ts';
import type { Pool, PoolClient } from '../db/pool.ts';
import { raiseFence } from '../db/relayFence.ts';
import { hasRelayedStates } from '../db/snapshots.ts';
import { publishRules } from '../engine/rulesStore.ts';
import { foldRelayedStates } from '../engine/snapshots.ts';
import { keys } from '../redis/keys.ts';
import { beginSharedTime, readSharedTime } from '../redis/sharedClock.ts';
import { Rules } from '../rules/rules.ts';
import { clearRedis, holdsUsers } from './clearRedis.ts';
import { restoreFingerprints } from './restoreFingerprints.ts';
import { restoreRankings } from './restoreRankings.ts';
import { restoreUsers } from './restoreUsers.ts';

/** Any number will do, as long as every version of laurel uses the same one. */
const RESTORE_LOCK = 7_281_935_468;

export interface RestoreOptions {
  pool: Pool;
  redis: Redis;
  progress: Progress;
  now: number;
  /** Whether what Redis holds may go. */
  replace: boolean;
  /** Whether time may have been moved; it never goes back. */
  testClock: boolean;
  /** Where the test clock began, ms; null at the machine's time. */
  testClockStart?: number | null;
}

/**
 * Fills Redis from PostgreSQL with all that was relayed: users, leaderboards, statistics, idempotency keys. The rules come last,
 * and no script changes anything before they are there: servers answer 503 until the restore is whole. One that was interrupted
 * has left its mark and is done again from the start.
 *
 * Snapshots hold what the scripts answered at the end of each user's relayed history (workers/stateReader.ts), so nothing has to
 * be worked out again from the events. What cannot be told exactly from PostgreSQL:
 * - Runs that a user has left since: of equal scores reached in the same millisecond, the order is that of the ranks then shown.
 * - Who was pushed out of a full leaderboard that is not full any more is back on it.
 * - Idempotency keys used before the tenant set a window count as used within the window, no longer for ever.
 *
 * @throws Error when Redis holds users and `replace` is not set, or another restore is under way
 */
export async function restore(options: RestoreOptions): Promise<{ users: number; fingerprints: number }> {
  const { pool, redis, progress, replace } = options;
  const shards = Number(await getFact(pool, 'shards'));
  if (shards === 0) throw new Error('there is nothing to restore: this installation has never been started');
  const { rows } = await pool.query<{ no: number }>('select no from tenants order by no');
  const tenants = rows.map(({ no }) => no);
  const isUnfinished = (await redis.exists(keys.restoring)) === 1;
  if (!isUnfinished && !replace && (await holdsUsers(redis, tenants, shards))) {
    throw new Error('Redis is not empty; --replace removes what laurel keeps there, changes not yet relayed included');
  }
  return lockedSnapshot(pool, async (client) => {
    await redis.set(keys.restoring, '1');
    await clearRedis(redis, tenants, shards);
    await restartOpenActivations(pool);
    const now = options.testClock ? await restoreClock(client, redis, options) : options.now;
    const restored = { users: 0, fingerprints: 0 };
    for (const tenant of tenants) {
      const rules = new Rules(await loadConfig(client, tenant));
      const isFinal = await readFinalRuns(client, tenant);
      const context = { client, redis, rules, isFinal, tenant, shards, now, progress };
      restored.users += await restoreUsers(context);
      await restoreRankings(context);
      restored.fingerprints += await restoreFingerprints(context);
    }
    for (const tenant of tenants) await publishRules(redis, await loadConfig(client, tenant), shards, now);
    await redis.del(keys.restoring);
    return restored;
  });
}

/**
 * Runs `read` alone, in a transaction that sees PostgreSQL as it is once all relayed states are in the snapshots.
 */
async function lockedSnapshot<T>(pool: Pool, read: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [
      RESTORE_LOCK,
    ]);
    if (!rows[0]!.locked) throw new Error('another restore is under way');
    // What relays have read of the Redis that was lost is written by now, or never will be.
    await raiseFence(pool);
    for (;;) {
      await foldRelayedStates(pool, { wait: true });
      await client.query('begin isolation level repeatable read read only');
      if (!(await hasRelayedStates(client))) break;
      await client.query('rollback');
    }
    const result = await read(client);
    await client.query('commit');
    return result;
  } finally {
    // The lock belongs to the session: closing the connection gives it back, whatever happened.
    client.release(true);
  }
}

/**
 * The service's time was at least that of the last snapshot.
 * @returns the time that it is, in ms
 */
async function restoreClock(
  client: PoolClient,
  redis: Redis,
  { now, testClockStart }: Pick<RestoreOptions, 'now' | 'testClockStart'>,
): Promise<number> {
  const { rows } = await client.query<{ last: Date | null }>('select max(taken_at) as last from user_snapshots');
  await beginSharedTime(redis, Math.max(testClockStart ?? now, rows[0]!.last?.getTime() ?? 0), now);
  return readSharedTime(redis, now);
}
