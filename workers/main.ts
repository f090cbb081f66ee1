import { setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { assertSameCells, type Cells } from '../src/base/cells.ts';
import { AdjustableClock } from '../src/base/clock.ts';
import type { Env } from '../src/base/env.ts';
import { POSTGRES_CONNECTIONS_WORKER, WORKER_STATEMENT_MS_MAX } from '../src/base/limits.ts';
import type { Log } from '../src/base/log.ts';
import { Metrics } from '../src/base/metrics.ts';
import { packageVersion } from '../src/base/packageRoot.ts';
import { openProbes, type Probes } from '../src/base/probes.ts';
import type { Tracing } from '../src/base/spans.ts';
import type { StartingPage } from '../src/base/startingPage.ts';
import { readCells } from '../src/db/installation.ts';
import { migrate, schemaVersion } from '../src/db/migrate.ts';
import { closePool, createPool, type Pool, withUnlimitedPool } from '../src/db/pool.ts';
import { showPools } from '../src/db/poolMetrics.ts';
import { createEngine, type Engine, type EngineOptions } from '../src/engine/engine.ts';
import { Approvals } from '../src/engine/heldEvents/approvals.ts';
import { History } from '../src/engine/historyReads.ts';
import { findPostgresFault, findRedisFault } from '../src/engine/storeFaults.ts';
import { showStores } from '../src/engine/storeMetrics.ts';
import type { KeepKeysDependencies } from '../src/engine/usedKeys/keepKeys.ts';
import { CallTimes } from '../src/redis/connection/callTimes.ts';
import { connectForJobs, connectRedis, whenReady } from '../src/redis/connection/redisClient.ts';
import { startStep } from '../src/redis/connection/startStep.ts';
import { Scripts } from '../src/redis/scripts/scripts.ts';
import { EventLatency } from '../src/redis/state/eventLatency.ts';
import { startHeartbeat } from '../src/redis/state/processes.ts';
import { assertSameClock, SharedClock } from '../src/redis/state/sharedClock.ts';
import { HealthWatch } from './healthWatch.ts';
import { activationSchedule, activationWork } from './jobs/activationJobs.ts';
import { anomalySchedule, cohortSchedule } from './jobs/analyticsJobs.ts';
import { DeliveryJobs, deliverySchedule } from './jobs/deliveryJobs.ts';
import { erasureSchedule } from './jobs/erasureJobs.ts';
import { approvalSchedule, heldEventSchedule } from './jobs/heldEventJobs.ts';
import { importSchedule, importWork } from './jobs/importJobs.ts';
import { Jobs } from './jobs/jobs.ts';
import { leaderboardSchedule, leaderboardWork } from './jobs/leaderboardJobs.ts';
import { startNotifications } from './jobs/notificationJobs.ts';
import { renameSchedule } from './jobs/renameJobs.ts';
import { deliveryRetentionSchedule, retentionSchedule } from './jobs/retentionJobs.ts';
import { scheduledWebhookSchedule } from './jobs/scheduledWebhookJobs.ts';
import { type Schedule, Schedules } from './jobs/schedules.ts';
import { reviewWork, sweepSchedule, sweepWork } from './jobs/sweepSchedule.ts';
import { keysSchedule, pointsCountsSchedule, publishSchedule, snapshotSchedule } from './jobs/upkeep.ts';
import { webhookWork } from './jobs/webhookJobs.ts';
import { YieldingPace } from './jobs/yieldingPace.ts';
import type { OnDeliveries } from './relay/entryWriter.ts';
import { Relay } from './relay/relay.ts';

/** Niceness of the process, so that servers on the same machine have priority over workers. */
const NICENESS = 5;
const FIRST_BOOT_POLL_MS = 500;

export interface RunningWorker {
  /** Finishes the work in progress, then closes the stores. */
  stop(): Promise<void>;
}

/** Starts a worker: connects its parts in the order of their dependencies. */
export async function startWorker(
  env: Env & { redisUrl: string; databaseUrl: string },
  log: Log,
  { page = null, tracing = null }: { page?: StartingPage | null; tracing?: Tracing | null } = {},
): Promise<RunningWorker> {
  yieldToServers(log);
  const clock = new AdjustableClock();
  const connectionLog = log.child({});
  const pool = createPool(env.databaseUrl, connectionLog, {
    connectionsMax: env.postgresConnections ?? POSTGRES_CONNECTIONS_WORKER,
    statementMsMax: WORKER_STATEMENT_MS_MAX,
  });
  const metrics = new Metrics();
  showPools(metrics, { worker: pool });
  const redis = connectRedis(env.redisUrl, connectionLog, {
    autoPipelining: true,
    times: new CallTimes(metrics.registry),
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

  // From here on, the users of a connection report its failure once; the connection does not.
  connectionLog.level = 'error';
  const jobs = new Jobs(connectForJobs(env.redisUrl, connectionLog), log);
  const deliveryJobs = new DeliveryJobs(jobs, clock, log);
  const onDeliveries: OnDeliveries = (...batch) => deliveryJobs.createDue(...batch);
  const relay = new Relay({ pool, redis, clock, log, cells, onDeliveries, tracing });
  relay.start();
  log.info({ cells }, 'relaying');
  const context = {
    ...startEngine(env, { redis, pool, clock, cells, metrics }),
    pool,
    clock,
    log,
    tracing,
    withUnlimitedPool: unlimitedPools(env.databaseUrl, log),
    hotDays: env.idempotencyHotDays,
    heldEventsDays: env.heldEventsDays,
  };
  const latency = new EventLatency(redis);
  const stopHeartbeat = startHeartbeat(redis, 'worker');
  startWork(jobs, context, new YieldingPace(latency), env);
  const notifications = await startNotifications(env, jobs, context);
  const schedules = new Schedules(jobs, scheduledWork(jobs, deliveryJobs, context), log);
  schedules.start();
  const stopHealthWatch = new HealthWatch(context).start();
  await page?.close();
  const probes = await openWorkerProbes(env, { redis, pool, cells, relay, jobs, metrics });
  return {
    stop: async () => {
      probes?.close();
      await stopHealthWatch();
      await schedules.stop();
      await jobs.stop();
      notifications.close();
      await relay.stop();
      latency.close();
      testClock?.close();
      await leaveRedis(redis, stopHeartbeat);
      await closePool(pool);
    },
  };
}

type EngineStores = Pick<EngineOptions, 'redis' | 'clock' | 'cells'> & { pool: Pool; metrics: Metrics };

/** The engine with what finishes approvals of held events, which read the history. */
function startEngine(
  env: Env,
  { metrics, pool, ...stores }: EngineStores,
): Engine & { approvals: Approvals; history: History } {
  const { redis, cells } = stores;
  const waitMsMax = env.historyWaitMs;
  const history = new History({ pool, scripts: new Scripts(redis, cells), cells, waitMsMax });
  const engine = createEngine({ ...stores, waitReplicas: env.redisWaitReplicas, history });
  return {
    ...engine,
    history,
    approvals: new Approvals({ pool, clock: stores.clock, lateEvents: engine.lateEvents, history, metrics }),
  };
}

const unlimitedPools =
  (databaseUrl: string, log: Log): KeepKeysDependencies['withUnlimitedPool'] =>
  (work) =>
    withUnlimitedPool(databaseUrl, log, work);

async function leaveRedis(redis: Redis, stopHeartbeat: () => Promise<void>): Promise<void> {
  await stopHeartbeat();
  await redis.quit().catch(() => redis.disconnect());
}

type WorkContext = Engine &
  KeepKeysDependencies & {
    pool: Pool;
    clock: AdjustableClock;
    log: Log;
    tracing: Tracing | null;
    heldEventsDays: number;
    approvals: Approvals;
    history: History;
  };

function startWork(jobs: Jobs, context: WorkContext, pace: YieldingPace, env: Env): void {
  jobs.work(sweepWork(context.sweep, pace, context.clock));
  jobs.work(reviewWork(context.sweep, pace));
  jobs.work(activationWork(context, pace));
  jobs.work(importWork(context, pace));
  jobs.work(leaderboardWork(context, pace, context.clock));
  jobs.work(webhookWork(context, env));
}

function scheduledWork(jobs: Jobs, deliveryJobs: DeliveryJobs, context: WorkContext): Schedule[] {
  return [
    snapshotSchedule(context.pool),
    pointsCountsSchedule(context.pool),
    cohortSchedule(context.pool),
    anomalySchedule(context.pool, context.clock),
    publishSchedule(context, context.clock),
    sweepSchedule(jobs, context.sweep, context.clock, context.cells),
    activationSchedule(context, context.clock, jobs),
    importSchedule(context, jobs),
    leaderboardSchedule(context, context.clock, jobs),
    erasureSchedule(context, context.log),
    renameSchedule(context, context.clock, context.log),
    scheduledWebhookSchedule(context, context.clock),
    deliverySchedule(context, deliveryJobs),
    keysSchedule(context),
    retentionSchedule(context.pool, context.clock, context.log),
    deliveryRetentionSchedule(context.pool, context.clock, context.log),
    heldEventSchedule(context.pool, context.clock, context.log, context.heldEventsDays),
    approvalSchedule(context, context.clock),
  ];
}

interface WorkerDependencies {
  redis: Redis;
  pool: Pool;
  cells: Cells;
  relay: Relay;
  jobs: Jobs;
  metrics: Metrics;
}

/** Serves health, readiness and metrics of this worker on WORKER_PORT. */
async function openWorkerProbes(
  { host, workerPort }: Env,
  { redis, pool, cells, relay, jobs, metrics }: WorkerDependencies,
): Promise<Probes | null> {
  if (workerPort === null) return null;
  metrics.showBuild(packageVersion(), schemaVersion());
  metrics.gauge(
    'laurel_relay_entries_total',
    'Outbox entries that this relay has written',
    () => relay.counts.entries,
  );
  metrics.gauge(
    'laurel_relay_changes_total',
    'Changes that this relay has written',
    () => relay.counts.changes,
  );
  metrics.gauge(
    'laurel_relay_dead_entries_total',
    'Entries that this relay put aside',
    () => relay.counts.deadEntries,
  );
  metrics.gauge(
    'laurel_relay_away_cells',
    'Cells left out because their node is away',
    () => relay.awayCells,
  );
  metrics.gauge(
    'laurel_relay_left_entries_total',
    'Entries that this relay left to another version',
    () => relay.counts.leftEntries,
  );
  metrics.gauges(
    'laurel_jobs_left_total',
    'Times that this worker left a job to another version',
    ['queue'],
    async () => Array.from(jobs.left, ([queue, value]) => ({ labels: { queue }, value })),
  );
  showStores(metrics, { redis, pool, cells });
  const findFault = async (): Promise<string | null> => {
    const [ofRedis, ofPostgres] = await Promise.all([findRedisFault(redis, cells), findPostgresFault(pool)]);
    return ofRedis ?? ofPostgres;
  };
  return openProbes({ host: host ?? '0.0.0.0', port: workerPort, metrics, findFault });
}

function yieldToServers(log: Log): void {
  try {
    setPriority(NICENESS);
  } catch (error) {
    log.warn({ err: error }, 'the worker could not lower its priority');
  }
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
