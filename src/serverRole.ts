import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { prepareInstallation } from './admin/prepareInstallation.ts';
import { AdjustableClock } from './base/clock.ts';
import type { Env } from './base/env.ts';
import { HOLDS_AT_ONCE_MAX, HOLDS_WAITING_MAX } from './base/guardLimits.ts';
import {
  ADMIN_STATEMENT_MS_MAX,
  BATCHES_AT_ONCE_MAX,
  BATCHES_WAITING_MAX,
  HISTORY_QUERY_MS_MAX,
  POSTGRES_CONNECTIONS_SERVER,
} from './base/limits.ts';
import type { Log } from './base/log.ts';
import { Metrics } from './base/metrics.ts';
import { packageVersion } from './base/packageRoot.ts';
import { openProbes } from './base/probes.ts';
import { Semaphore } from './base/semaphore.ts';
import type { Tracing } from './base/spans.ts';
import type { StartingPage } from './base/startingPage.ts';
import { DEFAULT_TENANT } from './db/configuration/loadConfig.ts';
import { schemaVersion } from './db/migrate.ts';
import { closePool, createPool, type Pool, withUnlimitedPool } from './db/pool.ts';
import { showPools } from './db/poolMetrics.ts';
import { showDeliveries } from './engine/deliveryMetrics.ts';
import { createEngine } from './engine/engine.ts';
import { Approvals } from './engine/heldEvents/approvals.ts';
import { History } from './engine/historyReads.ts';
import { showImports } from './engine/imports/importMetrics.ts';
import { showState } from './engine/stateMetrics.ts';
import { showStores } from './engine/storeMetrics.ts';
import { StoredKeyUses } from './engine/usedKeys/keyUses.ts';
import { LiveReads } from './http/live/liveReads.ts';
import { SingleSignOn } from './http/oidc/singleSignOn.ts';
import { Admission } from './http/request/admission.ts';
import { ApiKeys } from './http/request/apiKeys.ts';
import { Cors } from './http/request/cors.ts';
import { FollowedKeys } from './http/request/followedKeys.ts';
import { LastUses } from './http/request/lastUses.ts';
import { Requests } from './http/request/requests.ts';
import type { Service } from './http/request/service.ts';
import { Tenants } from './http/request/tenants.ts';
import { listen } from './http/server.ts';
import { UserTokens } from './http/tokens/userTokens.ts';
import { createMailer } from './notifications/messages/createMailer.ts';
import { PreferenceLinks } from './notifications/messages/preferenceLinks.ts';
import { CallTimes } from './redis/connection/callTimes.ts';
import { connectRedis, whenReady } from './redis/connection/redisClient.ts';
import { startStep } from './redis/connection/startStep.ts';
import { Scripts } from './redis/scripts/scripts.ts';
import { startHeartbeat } from './redis/state/processes.ts';
import { assertSameClock, SharedClock } from './redis/state/sharedClock.ts';

const ALL_ADDRESSES = '0.0.0.0';
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
    scripts: new Scripts(redis, cells),
    cells,
    waitMsMax: env.historyWaitMs,
  });
  const engine = createEngine({
    redis,
    eventRedis,
    clock,
    cells,
    waitReplicas: env.redisWaitReplicas,
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

/** The keys, and what verifies tokens, kept up to date from now on. */
async function followKeys(env: Env, { pool, redis }: ConnectedStores, log: Log) {
  const apiKeys = new ApiKeys();
  const userTokens = new UserTokens(env.userTokens);
  const followedKeys = new FollowedKeys({ apiKeys, userTokens, pool, redis, log });
  await followedKeys.follow();
  return { apiKeys, userTokens, followedKeys };
}

/** Parts of the service that exist before the others. */
type StartedParts = Omit<
  Service,
  | 'log'
  | 'admission'
  | 'approvals'
  | 'consoleSessionSeconds'
  | 'consoleKeySignIn'
  | 'singleSignOn'
  | 'batches'
  | 'holds'
  | 'requests'
  | 'cors'
  | 'links'
  | 'openMailer'
  | 'tenants'
  | 'live'
  | 'environment'
> & { userTokens: UserTokens };

async function createService(
  env: Env,
  log: Log,
  { userTokens, ...started }: StartedParts,
  tracing: Tracing | null | undefined,
): Promise<Service> {
  const { apiKeys, pool, redis, cells, rulesStore, clock } = started;
  return {
    ...started,
    log,
    approvals: new Approvals(started),
    admission: new Admission(apiKeys, new LastUses(pool, log), userTokens, env),
    consoleSessionSeconds: env.consoleSessionHours * 3_600,
    consoleKeySignIn: env.consoleKeySignIn,
    singleSignOn: env.oidc && new SingleSignOn(env.oidc, log, started.metrics),
    batches: new Semaphore(BATCHES_AT_ONCE_MAX, BATCHES_WAITING_MAX),
    holds: new Semaphore(HOLDS_AT_ONCE_MAX, HOLDS_WAITING_MAX),
    requests: new Requests(log, env.slowRequestMs, tracing),
    cors: new Cors(env.corsOrigins),
    links: await PreferenceLinks.open(pool, env.publicUrl),
    openMailer: () => createMailer(env, 1),
    tenants: new Tenants({ pool, redis, cells }, rulesStore, clock),
    live: new LiveReads(),
    environment: env.environment,
  };
}

interface ConnectedStores {
  pool: Pool;
  /** For reads of history, which PostgreSQL ends when they take too long. */
  historyPool: Pool;
  redis: Redis;
  /** Events fill their own pipeline; everything else shares one per turn of the event loop. */
  eventRedis: Redis;
  close(): Promise<void>;
}

async function connectStores(
  env: Env & { redisUrl: string; databaseUrl: string },
  log: Log,
  times: CallTimes,
): Promise<ConnectedStores> {
  const { storeWaitMs } = env;
  const connections = env.postgresConnections ?? POSTGRES_CONNECTIONS_SERVER;
  const forHistory = Math.floor(connections / 2);
  const pool = createPool(env.databaseUrl, log, {
    connectMsMax: storeWaitMs,
    connectionsMax: connections - forHistory,
    statementMsMax: ADMIN_STATEMENT_MS_MAX,
  });
  const historyPool = createPool(env.databaseUrl, log, {
    connectMsMax: storeWaitMs,
    connectionsMax: forHistory,
    statementMsMax: HISTORY_QUERY_MS_MAX,
  });
  const eventRedis = connectRedis(env.redisUrl, log, { silenceMsMax: storeWaitMs, times });
  const redis = connectRedis(env.redisUrl, log, { silenceMsMax: storeWaitMs, times, autoPipelining: true });
  await Promise.all([whenReady(eventRedis), whenReady(redis)]);
  const stopHeartbeat = startHeartbeat(redis, 'server');
  return {
    pool,
    historyPool,
    redis,
    eventRedis,
    close: async () => {
      await stopHeartbeat();
      await Promise.all([quit(eventRedis), quit(redis), closePool(pool), closePool(historyPool)]);
    },
  };
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

async function allAnswered(requests: Requests, log: Log): Promise<void> {
  for (let waited = 0; requests.underWay > 0 && waited < ANSWER_MS_MAX; waited += ANSWER_POLL_MS) {
    await sleep(ANSWER_POLL_MS);
  }
  if (requests.underWay > 0) log.warn({ requests: requests.underWay }, 'stopped with requests unanswered');
}

async function quit(redis: Redis): Promise<void> {
  await redis.quit().catch(() => redis.disconnect());
}
