import type { Redis } from 'ioredis';
import { allCells, type Cells, cellsOf } from '../../base/cells.ts';
import type { Progress } from '../../base/progress.ts';
import { listTenantNumbers } from '../../db/access/tenantRows.ts';
import { restartOpenActivations } from '../../db/configuration/activations.ts';
import { loadConfig } from '../../db/configuration/loadConfig.ts';
import { raiseFence } from '../../db/history/relayFence.ts';
import { hasRelayedStates } from '../../db/history/snapshotRows.ts';
import { assertWithin, replaceFact } from '../../db/installation.ts';
import { restartDueRewards } from '../../db/leaderboards/dueRewardRows.ts';
import { readFinalRuns } from '../../db/leaderboards/finalRunRows.ts';
import { withLock } from '../../db/lock.ts';
import type { Pool, PoolClient } from '../../db/pool.ts';
import { publishRules } from '../../engine/calls/rulesStore.ts';
import { requireRestore, takeReceipts } from '../../engine/recovery/compareReceipts.ts';
import { foldRelayedStates } from '../../engine/recovery/foldSnapshots.ts';
import { runPipeline } from '../../redis/connection/pipeline.ts';
import { primariesOf } from '../../redis/connection/redisClient.ts';
import { keys } from '../../redis/keys/redisKeys.ts';
import { hasProcesses } from '../../redis/state/processes.ts';
import { beginSharedTime, readSharedTime } from '../../redis/state/sharedClock.ts';
import { markKeysCold } from '../../redis/usedKeys/keyLedger.ts';
import { Rules } from '../../rules/inForce/rules.ts';
import { fixedCells } from '../stores/commandStores.ts';
import { scanned } from '../stores/scanned.ts';
import { restoreEndedLeagues } from './restoreEndedLeagues.ts';
import { restoreUsers } from './restoreUsers.ts';

/** Number of the advisory lock. Every version of laurel must use the same one. */
const RESTORE_LOCK = 7_281_935_468;

export interface RestoreOptions {
  pool: Pool;
  redis: Redis;
  progress: Progress;
  now: number;
  /** Number of cells over which each tenant is spread from now on. null: as before. */
  spread?: number | null;
  replace: boolean;
  /** Whether the test clock may have moved time, which never goes back. */
  testClock: boolean;
  /** Instant (ms) at which the test clock began. null: the machine's time. */
  testClockStart?: number | null;
}

/**
 * Fills Redis from PostgreSQL with everything that was relayed: users, leaderboards, statistics. The rules
 * are published last. No script changes anything without them, so servers answer 503 until the restore is
 * complete. A mark in Redis shows an interrupted restore, which the next one repeats from the start.
 * Idempotency keys stay in PostgreSQL. It is asked about each key that Redis does not have, until a worker
 * has built a filter (src/engine/usedKeys/keepKeys.ts).
 *
 * Snapshots contain the state at the end of each user's relayed history (workers/relay/stateReader.ts), so
 * events are not evaluated again. PostgreSQL does not determine everything exactly:
 * - A user who was pushed out of a full leaderboard that is no longer full returns to it.
 * - In a run of a league that has ended and is not final yet, an erased user no longer leaves a place empty.
 * - Of events that retention has dropped, it is not known whether their idempotency keys were used under a
 *   window.
 *
 * @throws Error if Redis contains users and `replace` is not set, if another restore is running, or if
 * servers or workers are running and the spread is to change
 */
export async function restore(options: RestoreOptions): Promise<{ users: number }> {
  const { pool, redis, progress, replace } = options;
  const before = await fixedCells(pool);
  const cells = { ...before, spread: options.spread ?? before.spread };
  if (cells.spread !== before.spread) await assertMaySpread(redis, cells);
  const tenants = await listTenantNumbers(pool);
  const isUnfinished = (await redis.exists(keys.restoring)) === 1;
  if (!isUnfinished && !replace && (await holdsUsers(redis, tenants, before))) {
    throw new Error(
      "Redis is not empty; --replace removes laurel's keys, including changes that were not relayed",
    );
  }
  return lockedSnapshot(pool, async (client) => {
    await requireRestore({ pool, redis, cells: before });
    await clearRedis(redis);
    await replaceFact(pool, 'spread', String(cells.spread));
    await restartOpenActivations(pool);
    await restartDueRewards(pool);
    const now = options.testClock ? await restoreClock(client, redis, options) : options.now;
    const restored = { users: 0 };
    for (const tenant of tenants) {
      const rules = new Rules(await loadConfig(client, tenant));
      const isFinal = await readFinalRuns(client, tenant);
      const context = { client, redis, rules, isFinal, tenant, cells, now, progress };
      restored.users += await restoreUsers(context);
      await restoreEndedLeagues(context);
      for (const cell of cellsOf(tenant, cells)) await markKeysCold(redis, tenant, cell, now);
    }
    await takeReceipts(client, { redis, cells });
    for (const tenant of tenants) await publishRules(redis, await loadConfig(client, tenant), cells, now);
    // Relays that have read something from the incomplete Redis must not draw conclusions from it.
    await raiseFence(pool);
    await redis.del(keys.restoring);
    return restored;
  });
}

/**
 * Processes know the number from their start: with the old one, they would look for users in other cells.
 * @throws Error if servers or workers are running, or if there are too few cells
 */
async function assertMaySpread(redis: Redis, { count, spread }: Cells): Promise<void> {
  assertWithin(spread, count);
  let subscribers = 0;
  for (const primary of primariesOf(redis)) {
    // Servers follow the first channel, workers the second one.
    const [, servers, , workers] = await primary.pubsub('NUMSUB', keys.published, keys.awaited);
    subscribers += Number(servers) + Number(workers);
  }
  // All databases of a Redis share its channels, so subscribers may belong to another installation.
  if (subscribers > 0 && (await hasProcesses(redis)))
    throw new Error('stop all servers and workers first: LAUREL_SPREAD differs from the current number');
}

/**
 * Runs `read` under the lock of restores, in a transaction whose snapshots contain all relayed states.
 */
function lockedSnapshot<T>(pool: Pool, read: (client: PoolClient) => Promise<T>): Promise<T> {
  const work = async (): Promise<T> => {
    const client = await pool.connect();
    try {
      // From now on relays can no longer write what they read from the lost Redis.
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
      client.release(true);
    }
  };
  return withLock(pool, RESTORE_LOCK, work, 'another restore is under way');
}

/**
 * Sets the test clock to the time of the last snapshot at the earliest.
 * @returns the service's time, in ms
 */
async function restoreClock(
  client: PoolClient,
  redis: Redis,
  { now, testClockStart }: Pick<RestoreOptions, 'now' | 'testClockStart'>,
): Promise<number> {
  const { rows } = await client.query<{ last: Date | null }>(
    'select max(taken_at) as last from user_snapshots',
  );
  await beginSharedTime(redis, Math.max(testClockStart ?? now, rows[0]!.last?.getTime() ?? 0), now);
  return readSharedTime(redis, now);
}

const KEYS_PER_SCAN = 1_000;
const OURS = /^\{\d+\}:/;

/**
 * Whether Redis contains users or changes that were not relayed. Rules, empty outboxes and BullMQ's keys do
 * not count.
 */
async function holdsUsers(redis: Redis, tenants: readonly number[], cells: Cells): Promise<boolean> {
  const commands = [
    ...allCells(cells).map((cell) => ['xlen', keys.outbox(cell)]),
    ...tenants.flatMap((tenant) => cellsOf(tenant, cells).map((cell) => ['exists', keys.seen(tenant, cell)])),
  ];
  return (await runPipeline(redis, commands)).some((count) => Number(count) > 0);
}

/** Removes laurel's keys and no others. */
async function clearRedis(redis: Redis): Promise<void> {
  await redis.unlink(keys.tenants);
  for (const primary of primariesOf(redis)) {
    const pages = scanned((cursor) => primary.scan(cursor, 'MATCH', '{*', 'COUNT', KEYS_PER_SCAN));
    for await (const found of pages) {
      const ours = found.filter((key) => OURS.test(key));
      await runPipeline(
        redis,
        ours.map((key) => ['unlink', key]),
      );
    }
  }
}
