import { setPriority } from 'node:os';
import type { Log } from '../../src/base/log.ts';
import type { Tracing } from '../../src/base/spans.ts';
import type { StartingPage } from '../../src/base/startingPage.ts';
import { withUnlimitedPool } from '../../src/db/pool.ts';
import { History } from '../../src/engine/availability/historyReads.ts';
import { createEngine } from '../../src/engine/engine.ts';
import { Approvals } from '../../src/engine/heldEvents/approvals.ts';
import { connectForJobs } from '../../src/redis/connection/redisClient.ts';
import { EventLatency } from '../../src/redis/state/eventLatency.ts';
import { HealthWatch } from '../healthWatch.ts';
import { DeliveryJobs } from '../jobs/deliveryJobs.ts';
import { startNotifications, webhookWork } from '../jobs/deliveryWork.ts';
import { Jobs } from '../jobs/jobs.ts';
import { PACED_JOBS, pacedWork, type WorkContext } from '../jobs/pacedJobs.ts';
import { Schedules } from '../jobs/schedules.ts';
import { SCHEDULES } from '../jobs/scheduleTable.ts';
import { YieldingPace } from '../jobs/yieldingPace.ts';
import { Relay } from '../relay/relay.ts';
import { TenantDays } from '../relay/tenantDays.ts';
import { openWorkerProbes } from './workerProbes.ts';
import { openStores, type WorkerEnv } from './workerStores.ts';

/** Niceness of the process, so that servers on the same machine have priority over workers. */
const NICENESS = 5;

export interface RunningWorker {
  /** Finishes the work in progress, then closes the stores. */
  stop(): Promise<void>;
}

/** Starts a worker: connects its parts in the order of their dependencies. */
export async function startWorker(
  env: WorkerEnv,
  log: Log,
  { page = null, tracing = null }: { page?: StartingPage | null; tracing?: Tracing | null } = {},
): Promise<RunningWorker> {
  yieldToServers(log);
  const stores = await openStores(env, log, page);
  const { pool, redis, clock, cells, metrics } = stores;
  const jobs = new Jobs(connectForJobs(env.redisUrl, stores.connectionLog), log);
  const deliveryJobs = new DeliveryJobs(jobs, clock, log);
  const onDeliveries = deliveryJobs.createDue.bind(deliveryJobs);
  const relay = new Relay({ pool, redis, clock, log, cells, onDeliveries, tracing });
  relay.start();
  log.info({ cells }, 'relaying');

  const history = new History({
    pool,
    redis,
    cells,
    waitMsMax: env.historyWaitMs,
  });
  const engine = createEngine({ redis, clock, cells, history });
  const context: WorkContext = {
    ...engine,
    pool,
    clock,
    log,
    tracing,
    history,
    jobs,
    deliveryJobs,
    days: new TenantDays(pool),
    approvals: new Approvals({ pool, clock, lateEvents: engine.lateEvents, history, metrics }),
    withUnlimitedPool: (work) => withUnlimitedPool(env.databaseUrl, log, work),
    hotDays: env.idempotencyHotDays,
    heldEventsDays: env.heldEventsDays,
  };
  const latency = new EventLatency(redis);
  const pace = new YieldingPace(latency);
  for (const kind of PACED_JOBS) jobs.work(pacedWork(kind, context, pace));
  jobs.work(webhookWork(context, env));
  const closeMailer = await startNotifications(env, jobs, context);
  const schedules = new Schedules(SCHEDULES, context);
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
      closeMailer();
      await relay.stop();
      latency.close();
      await stores.close();
    },
  };
}

function yieldToServers(log: Log): void {
  try {
    setPriority(NICENESS);
  } catch (error) {
    log.warn({ err: error }, 'the worker could not lower its priority');
  }
}
