import { join } from 'node:path';
import { Redis } from 'ioredis';
import { REDIS_SILENCE_BACKGROUND_MS_MAX } from '../base/limits.ts';
import type { Log } from '../base/log.ts';
import { packageRoot } from '../base/packageRoot.ts';
import type { CallTimes } from './callTimes.ts';
import { keys } from './keys.ts';
import { loadScripts } from './luaLoader.ts';

export interface RedisOptions {
  /** Commands of one turn of the event loop share a pipeline. */
  autoPipelining?: boolean;
  silenceMsMax?: number;
  /** Where to note how long calls take. */
  times?: CallTimes;
}

/**
 * A connection with laurel's scripts, which reconnects by itself. While Redis is unavailable it does not queue: a command fails
 * at once, so that the caller can answer 503. If Redis sends nothing for `silenceMsMax` while commands wait, the connection is
 * closed and these commands fail. No command is ever sent twice.
 *
 * @param url redis://… or the path of a unix socket
 */
export function connectRedis(url: string, log: Log, options: RedisOptions = {}): Redis {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResubscribe: true,
    enableAutoPipelining: options.autoPipelining ?? false,
    autoResendUnfulfilledCommands: false,
    socketTimeout: options.silenceMsMax ?? REDIS_SILENCE_BACKGROUND_MS_MAX,
    retryStrategy: (attempt) => Math.min(50 * attempt, 1_000),
  });
  logOutages(redis, log);
  const scripts = loadScripts(join(packageRoot(), 'lua'));
  for (const { name, lua, numberOfKeys } of scripts) redis.defineCommand(name, { lua, numberOfKeys });
  options.times?.watch(redis, scripts);
  return redis;
}

/**
 * A connection for BullMQ. It waits for Redis without a time limit, because its commands block and no request waits for
 * them.
 */
export function connectForJobs(url: string, log: Log): Redis {
  const redis = new Redis(url, {
    maxRetriesPerRequest: null,
    retryStrategy: (attempt) => Math.min(50 * attempt, 1_000),
  });
  logOutages(redis, log);
  return redis;
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

/** Whether Redis accepts writes: false while it is full, read-only or unavailable. */
export function takesWrites(redis: Redis): Promise<boolean> {
  return redis.set(keys.probe, '1').then(
    () => true,
    () => false,
  );
}

/** Whether Redis answers a PING; false after `silenceMsMax` without an answer. */
export function answers(redis: Redis): Promise<boolean> {
  return redis.ping().then(
    () => true,
    () => false,
  );
}
