import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { prepareInstallation } from '../admin/installation/prepareInstallation.ts';
import { AdjustableClock } from '../base/clock.ts';
import type { Env } from '../base/env.ts';
import type { Log } from '../base/log.ts';
import { Metrics } from '../base/metrics.ts';
import { packageVersion } from '../base/packageRoot.ts';
import { openProbes } from '../base/probes.ts';
import type { Tracing } from '../base/spans.ts';
import { ALL_ADDRESSES, type StartingPage } from '../base/startingPage.ts';
import { DEFAULT_TENANT } from '../db/configuration/loadConfig.ts';
import { schemaVersion } from '../db/migrate.ts';
import { withUnlimitedPool } from '../db/pool.ts';
import { showPools } from '../db/poolMetrics.ts';
import { History } from '../engine/availability/historyReads.ts';
import { showDeliveries, showImports, showState } from '../engine/availability/stateMetrics.ts';
import { showStores } from '../engine/availability/storeMetrics.ts';
import { StoredKeyUses } from '../engine/calls/keyUses.ts';
import { createEngine } from '../engine/engine.ts';
import type { Requests } from '../http/request/requests.ts';
import type { Service } from '../http/request/service.ts';
import { listen } from '../http/server.ts';
import { CallTimes } from '../redis/connection/callTimes.ts';
import { startStep } from '../redis/connection/startStep.ts';
import { assertSameClock, SharedClock } from '../redis/state/sharedClock.ts';
import { createService, followKeys } from './createService.ts';
import { connectStores } from './serverStores.ts';

const ANSWER_POLL_MS = 20;
/** How long a stop waits for the requests under way. */
const ANSWER_MS_MAX = 10_000;

export interface RunningServer {
  url: string;
  /**
   * Says that it is not ready and closes every connection with its next answer, for as long as load balancers
   * need to notice (LAUREL_DRAIN_SECONDS).
   */
  drain(): Promise<void>;
  /** Stops accepting, answers what was accepted, closes the stores. */
  stop(): Promise<void>;
}

/** The API server, put together in the order in which its parts need each other. */
export async function startServer(
  env: Env & { redisUrl: string; databaseUrl: string },
  log: Log,
  { page = null, tracing }: { page?: StartingPage | null; tracing?: Tracing | null | undefined } = {},
): Promise<RunningServer> {
  const clock = new AdjustableClock();
  const metrics = new Metrics();
  const stores = await connectStores(env, log, new CallTimes(metrics.registry));
  const { pool, historyPool, redis, eventRedis } = stores;
  showPools(metrics, { main: pool, history: historyPool });
  await startStep(redis, log, () => assertSameClock(redis, env.testClock));
  if (page) page.step = 'migrating';
  const { cells } = await withUnlimitedPool(env.databaseUrl, log, (unlimited) =>
    startStep(redis, log, () => prepareInstallation(unlimited, redis, env, clock.now(), log)),
  );
  if (page) page.step = 'starting';
  const keys = await followKeys(env, stores, log);
  const testClock = env.testClock ? new SharedClock(clock, redis) : null;
  await testClock?.follow();

  const history = new History({
    pool: historyPool,
    redis,
    cells,
    waitMsMax: env.historyWaitMs,
  });
  const engine = createEngine({
    redis,
    eventRedis,
    clock,
    cells,
    tracing,
    keyUses: new StoredKeyUses(pool),
    history,
  });
  const { rulesStore } = engine;
  // Without rules, because Redis has to be restored first, every call is answered 503 and looks for them
  // again.
  await rulesStore.load(DEFAULT_TENANT).catch((error) => log.warn({ error: error.message }, 'not ready'));
  await rulesStore.follow();
  const context = { ...engine, ...keys, history, testClock, metrics, pool, redis };
  const service = await createService(env, log, context, tracing);
  addGauges(service, eventRedis);
  const host = env.host ?? ALL_ADDRESSES;
  const metricsPort =
    env.metricsPort === null
      ? null
      : await openProbes({ host, port: env.metricsPort, metrics: service.metrics });
  await page?.close();
  const http = await listen(service, { host, port: env.port, showsMetrics: metricsPort === null });
  return {
    url: `http://${host === ALL_ADDRESSES ? 'localhost' : host}:${http.port}`,
    drain: async () => {
      service.requests.isDraining = true;
      await sleep(env.drainSeconds * 1_000);
    },
    stop: async () => {
      service.requests.isDraining = true;
      http.quiet();
      await allAnswered(service.requests, log);
      rulesStore.close();
      testClock?.close();
      keys.followedKeys.close();
      await stores.close();
      http.close();
      metricsPort?.close();
    },
  };
}

async function allAnswered(requests: Requests, log: Log): Promise<void> {
  let waited = 0;
  do {
    await sleep(ANSWER_POLL_MS);
    // Between a timer and an immediate, the event loop reads requests that have arrived.
    await setImmediate();
    waited += ANSWER_POLL_MS;
  } while (requests.underWay > 0 && waited < ANSWER_MS_MAX);
  if (requests.underWay > 0)
    log.warn({ requests: requests.underWay }, 'stopped before all requests were answered');
}

/** What `/metrics` reads when it is asked. */
function addGauges(service: Service, eventRedis: Redis): void {
  const { metrics, queue, live, redis, pool, clock } = service;
  metrics.gauge('laurel_events_pending', 'Events accepted and not yet answered', () => queue.size);
  showStores(metrics, { redis: eventRedis, pool, cells: service.cells });
  metrics.gauge('laurel_live_subscribers', 'Connections that watch a leaderboard', () => live.subscribers);
  metrics.showBuild(packageVersion(), schemaVersion());
  showState(metrics, service);
  showImports(metrics, pool);
  showDeliveries(metrics, pool, redis, clock);
}
