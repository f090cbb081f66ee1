import { join } from 'node:path';
import { Redis } from 'ioredis';
import { adviceOnDamage, repairAppendOnlyFile } from './appendOnlyFile.ts';
import { currentOwner, openDataDir, privateDirectory, socketDirectory } from './dataDir.ts';
import { type EmbeddedService, launch, type StartOptions, untilReady } from './embeddedService.ts';
import { obtainRedis } from './installRedis.ts';
import { stopOrphans } from './orphans.ts';

const STOP_MS_MAX = 20_000;

interface RedisPaths {
  /** Directory of the append-only file, the log and the pid file. */
  directory: string;
  socket: string;
}

/** Settings that laurel needs in every Redis. docker-compose.yml has the same ones. */
export const REDIS_SETTINGS: Record<string, string> = {
  // Every answered change survives a crash of the machine.
  appendonly: 'yes',
  appendfsync: 'always',
  // Rewriting keeps a core busy. Redis reads a file of this size within seconds after a crash.
  'auto-aof-rewrite-min-size': '512mb',
  save: '',
  // If memory is full, writes fail; no data is evicted.
  'maxmemory-policy': 'noeviction',
  // A user's state is a small hash. A listpack takes half the memory of a hash table.
  'hash-max-listpack-value': '1024',
};

/** Arguments of redis-server. */
export function redisArguments(settings: Record<string, string>): string[] {
  return Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
}

/**
 * Files and socket of the embedded Redis. Only users who may enter the directory of the socket can connect.
 */
function pathSettings({ directory, socket }: RedisPaths): Record<string, string> {
  return {
    port: '0',
    unixsocket: socket,
    unixsocketperm: '700',
    dir: directory,
    logfile: join(directory, 'redis.log'),
    pidfile: join(directory, 'redis.pid'),
  };
}

/**
 * Starts Redis in `dataDir`/redis and resolves when it is ready. Stops one that an earlier run left behind
 * first.
 */
export async function startRedis({ dataDir, log, signal }: StartOptions): Promise<EmbeddedService> {
  const home = await openDataDir(dataDir);
  const directory = join(home.path, 'redis');
  await privateDirectory(directory, currentOwner());
  const socket = join(await socketDirectory(home, 'redis', currentOwner()), 'redis.sock');
  const command = await obtainRedis(log, signal);

  const program = /(^|\/)(redis|valkey)-server( |$)/;
  await stopOrphans({ name: 'Redis', program, leader: program, tag: home.tag, directory }, 'SIGTERM', log);

  await repairAppendOnlyFile(directory, log);
  const logFile = join(directory, 'redis.log');
  const server = launch({
    command,
    args: redisArguments({ ...pathSettings({ directory, socket }), ...REDIS_SETTINGS }),
    env: { PATH: process.env.PATH },
    logFile,
    stopSignal: 'SIGTERM',
    stopMsMax: STOP_MS_MAX,
    signal,
  });
  await untilReady('Redis', server, logFile, () => answers(socket)).catch((error: Error) => {
    if (!/append only file|\bAOF\b/i.test(error.message)) throw error;
    throw new Error(`${error.message}\n${adviceOnDamage(directory)}`, { cause: error });
  });
  // ioredis interprets a string that starts with a slash as the path of a unix socket.
  return { ...server, url: socket };
}

/** Whether Redis serves. While it loads its data it answers every command with an error. */
export async function answers(socket: string): Promise<boolean> {
  const redis = new Redis(socket, { lazyConnect: true, enableReadyCheck: false, retryStrategy: () => null });
  redis.on('error', () => {});
  try {
    await redis.connect();
    return (await redis.ping()) === 'PONG';
  } catch {
    return false;
  } finally {
    redis.disconnect();
  }
}
