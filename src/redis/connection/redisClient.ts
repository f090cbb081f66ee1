import { join } from 'node:path';
import { type Cluster, type RedisOptions as ConnectionOptions, Redis } from 'ioredis';
import type { Log } from '../../base/log.ts';
import { packageRoot } from '../../base/packageRoot.ts';
import { keys } from '../keys/redisKeys.ts';
import { type LuaScript, loadScripts } from '../lua/luaLoader.ts';
import type { CallTimes } from './callTimes.ts';
import { ClusterConnection } from './clusterConnection.ts';
import { parseRedisUrl, type RedisAddress } from './redisAddress.ts';
import { requireReplicas } from './replication.ts';
import { SentinelConnector } from './sentinelConnector.ts';
import { writeTogether } from './writeTogether.ts';

/** Longest wait of workers and commands for a Redis reply. */
const REDIS_SILENCE_BACKGROUND_MS_MAX = 10_000;
/** Longest wait for a connection to Redis or a Sentinel; then the Sentinels are asked again. */
const REDIS_CONNECT_MS_MAX = 2_000;
/** Longest wait for the answer of a Sentinel; then the next one is asked. */
const SENTINEL_ANSWER_MS_MAX = 1_000;

/** The scripts of this program, once the first connection has loaded them. */
let scripts: readonly LuaScript[] | undefined;

export interface RedisOptions {
  silenceMsMax?: number;
  /** Records the durations of calls. */
  times?: CallTimes;
  /** Replicas that must have a change before it is answered; 0 waits for none. */
  waitReplicas?: number;
}

/**
 * A connection with laurel's scripts, which reconnects by itself. While Redis is unavailable it does not
 * queue: a command fails at once, so that the caller can answer 503. If Redis sends nothing for
 * `silenceMsMax` while commands wait, the connection is closed and these commands fail. No command is ever
 * sent twice.
 *
 * @param url as parseRedisUrl reads it
 */
export function connectRedis(url: string, log: Log, options: RedisOptions = {}): Redis {
  const redis = open(parseRedisUrl(url), {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResubscribe: true,
    autoResendUnfulfilledCommands: false,
    socketTimeout: options.silenceMsMax ?? REDIS_SILENCE_BACKGROUND_MS_MAX,
  });
  logOutages(redis, log);
  scripts ??= loadScripts(join(packageRoot(), 'lua'));
  for (const { name, lua, numberOfKeys } of scripts) redis.defineCommand(name, { lua, numberOfKeys });
  options.times?.watch(redis, scripts);
  requireReplicas(redis, options.waitReplicas ?? 0);
  if (!redis.isCluster) writeTogether(redis);
  return redis;
}

/**
 * A connection for BullMQ. It waits for Redis without a time limit, because its commands block and no request
 * waits for them.
 */
export function connectForJobs(url: string, log: Log): Redis {
  const redis = open(parseRedisUrl(url), { maxRetriesPerRequest: null });
  logOutages(redis, log);
  return redis;
}

const retryAfterMs = (attempt: number): number => Math.min(50 * attempt, 1_000);

/** A cluster has the commands of a connection, so callers need not know which of the two it is. */
function open(address: RedisAddress, given: ConnectionOptions): Redis {
  const connectTimeout = Math.min(given.socketTimeout ?? Number.POSITIVE_INFINITY, REDIS_CONNECT_MS_MAX);
  const options = { ...given, connectTimeout, reconnectOnError: isDemoted };
  if (address.kind === 'cluster') {
    const { enableOfflineQueue: waits = true, ...ofNodes } = options;
    const cluster = new ClusterConnection(address.nodes, {
      ...ofNodes,
      ...address.access,
      waits,
      retryAfterMs,
    });
    return cluster as unknown as Redis;
  }
  const single = { ...options, retryStrategy: retryAfterMs };
  if (address.kind === 'single') return new Redis(address.url, { ...single, ...address.access });
  const { sentinels, name, access, sentinelAccess } = address;
  return new Redis({
    ...single,
    ...access,
    ...sentinelAccess,
    sentinels,
    name,
    Connector: SentinelConnector as NonNullable<ConnectionOptions['Connector']>,
    sentinelCommandTimeout: SENTINEL_ANSWER_MS_MAX,
    failoverDetector: true,
    ...(access.tls && { enableTLSForSentinelMode: true }),
  });
}

/** A primary that has become a replica refuses writes: a new connection finds the primary. */
function isDemoted(error: Error): boolean {
  return error.message.startsWith('READONLY');
}

/**
 * A connection of its own for messages, which also reconnects by itself. It queues commands until it is
 * ready. All nodes of a cluster get all messages, so it connects to one of them, and to another one if that
 * is lost.
 */
export function connectSubscriber(redis: Redis): Redis {
  const subscriber = redis.isCluster ? connectToAnyNode(redis as unknown as Cluster) : redis.duplicate(WAITS);
  // The owner of the first connection reports the outage.
  subscriber.on('error', () => {});
  return subscriber;
}

/** Options of a connection whose subscriptions wait for Redis, also if it is lost while they are made. */
const WAITS = { enableOfflineQueue: true, maxRetriesPerRequest: null, autoResendUnfulfilledCommands: true };

/** A connection of its own for reads that block; not for a cluster. */
export function connectBlocking(redis: Redis): Redis {
  const blocking = redis.duplicate({ enableOfflineQueue: true });
  // The read fails too, and its caller reports the failure.
  blocking.on('error', () => {});
  return blocking;
}

function connectToAnyNode(cluster: Cluster): Redis {
  const nodes = cluster.nodes('master').map(({ options }) => options);
  const { host, port, ...options } = nodes[0]!;
  const subscriber = new Redis({
    ...options,
    ...WAITS,
    host,
    port,
    lazyConnect: false,
    retryStrategy: (attempt) => {
      const next = nodes[attempt % nodes.length]!;
      Object.assign(subscriber.options, { host: next.host, port: next.port });
      return retryAfterMs(attempt);
    },
  });
  return subscriber;
}

/** The connections to all primaries: several for a cluster. */
export function primariesOf(redis: Redis): Redis[] {
  return redis.isCluster ? (redis as unknown as Cluster).nodes('master') : [redis];
}

/**
 * Sends a message to all subscribers. In a cluster every node sends it to its own subscribers before this
 * resolves; they may get it several times.
 * @throws the error of the first node if no node takes the message
 */
export async function publish(redis: Redis, channel: string, message: string): Promise<void> {
  const results = await Promise.allSettled(
    primariesOf(redis).map((primary) => primary.publish(channel, message)),
  );
  const [first] = results;
  if (first?.status === 'rejected' && results.every(({ status }) => status === 'rejected'))
    throw first.reason;
}

/** Logs one line when Redis becomes unavailable and one when it is available again. */
function logOutages(redis: Redis, log: Log): void {
  let away = false;
  redis.on('error', (error) => {
    if (!away) log.warn({ error: error.message }, 'redis is not available');
    away = true;
  });
  redis.on('ready', () => {
    if (away) log.info('redis is available again');
    away = false;
  });
}

/** Resolves once the connection can take commands. */
export function whenReady(redis: Redis): Promise<void> {
  if (redis.status === 'ready') return Promise.resolve();
  return new Promise((resolve) => redis.once('ready', () => resolve()));
}

/** Ends a connection after the replies under way; at once if Redis is away. */
export async function closeRedis(redis: Redis): Promise<void> {
  await redis.quit().catch(() => redis.disconnect());
}

/** Whether Redis accepts writes: false while it is full, read-only or unavailable. */
export function takesWrites(redis: Redis): Promise<boolean> {
  return redis.set(keys.probe, '1').then(
    () => true,
    () => false,
  );
}
