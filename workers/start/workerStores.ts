import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { assertSameCells, type Cells } from '../../src/base/cells.ts';
import { AdjustableClock } from '../../src/base/clock.ts';
import type { Env } from '../../src/base/env.ts';
import { POSTGRES_CONNECTIONS_WORKER } from '../../src/base/limits.ts';
import type { Log } from '../../src/base/log.ts';
import { Metrics } from '../../src/base/metrics.ts';
import type { StartingPage } from '../../src/base/startingPage.ts';
import { readCells } from '../../src/db/installation.ts';
import { migrate } from '../../src/db/migrate.ts';
import { closePool, createPool, type Pool, withUnlimitedPool } from '../../src/db/pool.ts';
import { showPools } from '../../src/db/poolMetrics.ts';
import { CallTimes } from '../../src/redis/connection/callTimes.ts';
import { closeRedis, connectRedis, whenReady } from '../../src/redis/connection/redisClient.ts';
import { startStep } from '../../src/redis/connection/startStep.ts';
import { startHeartbeat } from '../../src/redis/state/processes.ts';
import { assertSameClock, SharedClock } from '../../src/redis/state/sharedClock.ts';

/** Timeout of a statement of a worker. The work is tried again. */
const WORKER_STATEMENT_MS_MAX = 60_000;
const FIRST_BOOT_POLL_MS = 500;

export type WorkerEnv = Env & { redisUrl: string; databaseUrl: string };

/** The stores of a worker, and what they say of the installation. */
export interface WorkerStores {
  pool: Pool;
  redis: Redis;
  /** For further connections. From the start on, their users report each failure once. */
  connectionLog: Log;
  clock: AdjustableClock;
  cells: Cells;
  metrics: Metrics;
  close(): Promise<void>;
}

/** Connects to both stores, brings PostgreSQL to this version and waits for the first server. */
export async function openStores(env: WorkerEnv, log: Log, page: StartingPage | null): Promise<WorkerStores> {
  const clock = new AdjustableClock();
  const connectionLog = log.child({});
  const pool = createPool(env.databaseUrl, connectionLog, {
    connectionsMax: env.postgresConnections ?? POSTGRES_CONNECTIONS_WORKER,
    statementMsMax: WORKER_STATEMENT_MS_MAX,
  });
  const metrics = new Metrics();
  showPools(metrics, { worker: pool });
  const redis = connectRedis(env.redisUrl, connectionLog, {
    times: new CallTimes(metrics.registry),
    waitReplicas: env.redisWaitReplicas,
  });
  await whenReady(redis);
  const testClock = env.testClock ? new SharedClock(clock, redis) : null;
  await testClock?.follow();
  await startStep(redis, log, () => assertSameClock(redis, env.testClock));
  if (page) page.step = 'migrating';
  await withUnlimitedPool(env.databaseUrl, log, (unlimited) => migrate(unlimited, clock.now(), log));
  if (page) page.step = 'starting';
  const cells = await whenCellsAreFixed(pool, log);
  assertSameCells(env, cells);
  connectionLog.level = 'error';
  const stopHeartbeat = startHeartbeat(redis, 'worker');
  return {
    pool,
    redis,
    connectionLog,
    clock,
    cells,
    metrics,
    close: async () => {
      testClock?.close();
      await stopHeartbeat().then(() => closeRedis(redis));
      await closePool(pool);
    },
  };
}

/** The cells of this installation. Waits for the first server, which fixes them. */
async function whenCellsAreFixed(pool: Pool, log: Log): Promise<Cells> {
  for (let waits = 0; ; waits++) {
    const cells = await readCells(pool);
    if (cells !== null) return cells;
    if (waits === 0) log.info('waiting for a server to set up this installation');
    await sleep(FIRST_BOOT_POLL_MS);
  }
}
