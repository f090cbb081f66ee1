import { join } from 'node:path';
import { Redis } from 'ioredis';
import { adviceOnDamage, repairAppendOnlyFile } from './appendOnlyFile.ts';
import { currentOwner, openDataDir, privateDirectory, socketDirectory } from './dataDir.ts';
import { obtainRedis } from './installRedis.ts';
import { stopOrphans } from './orphans.ts';
import { type EmbeddedService, launch, type StartOptions, untilReady } from './service.ts';

const STOP_MS_MAX = 20_000;

interface RedisPlace {
  /** Where the append-only file, the log and the pid file go. */
  directory: string;
  socket: string;
}

/** What laurel needs of a Redis wherever it runs; docker-compose.yml gives it the same. */
export const REDIS_SETTINGS: Record<string, string> = {
  // A 2xx must survive the death of the machine (DESIGN, Durability).
  appendonly: 'yes',
  appendfsync: 'always',
  // Rewriting takes a core for a while; a log of this size is read in seconds after a crash.
  'auto-aof-rewrite-min-size': '512mb',
  save: '',
  // Full means that writes fail, never that a user disappears.
  'maxmemory-policy': 'noeviction',
  // Idempotency fingerprints are sets of integers: an intset takes 8 bytes a key, the hash table it turns into beyond
  // this size about 50. Inserting into 4,096 integers still moves at most 32 kB.
  'set-max-intset-entries': '4096',
  // A user's state is a small hash; as a list of bytes it takes half the memory of a hash table.
  'hash-max-listpack-value': '1024',
};

/** Arguments of redis-server. */
export function redisArguments(settings: Record<string, string>): string[] {
  return Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
}

/** Where the embedded one is, and how it is reached: only whoever may enter the directory of the socket can connect. */
function placeSettings({ directory, socket }: RedisPlace): Record<string, string> {
  return {
    port: '0',
    unixsocket: socket,
    unixsocketperm: '700',
    dir: directory,
    logfile: join(directory, 'redis.log'),
    pidfile: join(directory, 'redis.pid'),
  };
}

/** Starts Redis on `dataDir`/redis, first stopping one that an earlier run left there. Ready when it resolves. */
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
    args: redisArguments({ ...placeSettings({ directory, socket }), ...REDIS_SETTINGS }),
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
  // ioredis takes a string that starts with a slash for the path of a unix socket.
  return { ...server, url: socket };
}

/** Not while it still loads its data: it then answers every command with an error. */
async function answers(socket: string): Promise<boolean> {
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
