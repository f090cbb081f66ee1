import { copyFile, open, readdir, truncate } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Redis } from 'ioredis';
import type { Log } from '../base/log.ts';
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
 * Starts Redis in `dataDir`/redis and resolves when it is ready. Stops one of an earlier run first.
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

const CHUNK_BYTES = 64 * 1024;

/**
 * Removes the zeros that a crash of the machine leaves at the end of the append-only file. The length of the
 * file was on disk, but the data was not, so no command in it was ever answered. Redis itself removes an
 * incomplete command. The damaged file is kept as a copy in `directory`.
 */
async function repairAppendOnlyFile(directory: string, log: Log): Promise<void> {
  const file = await appendOnlyFile(directory);
  if (file === null) return;
  const zeros = await countZerosAtEnd(file);
  if (zeros.count === 0) return;
  const copy = join(directory, `${basename(file)}.damaged-at-${zeros.size}`);
  await copyFile(file, copy);
  await truncate(file, zeros.size - zeros.count);
  log.warn(
    { file, copy },
    `removed ${zeros.count} zero bytes from the end of the append-only file of Redis; the original is kept as a copy`,
  );
}

/** Advice for an administrator if Redis refuses its append-only file. */
function adviceOnDamage(directory: string): string {
  return `The append-only file in ${directory} is damaged before its end. Copy the directory, then either run
  redis-check-aof --fix on the file that the log names (it drops everything after the damage),
or move ${directory} away, start again, and run \`laurel restore\` (it rebuilds Redis from PostgreSQL).`;
}

/** The file that Redis appended to last. Redis 7 keeps a directory of files, Redis 6 a single file. */
async function appendOnlyFile(directory: string): Promise<string | null> {
  const parts = (await readdir(join(directory, 'appendonlydir')).catch(() => []))
    .map((name) => ({ name, sequence: Number(/\.(\d+)\.incr\.aof$/.exec(name)?.[1]) }))
    .filter(({ sequence }) => !Number.isNaN(sequence))
    .sort((a, b) => a.sequence - b.sequence);
  const last = parts.at(-1);
  if (last !== undefined) return join(directory, 'appendonlydir', last.name);
  return (await readdir(directory)).includes('appendonly.aof') ? join(directory, 'appendonly.aof') : null;
}

async function countZerosAtEnd(file: string): Promise<{ size: number; count: number }> {
  const handle = await open(file);
  try {
    const { size } = await handle.stat();
    const chunk = Buffer.alloc(CHUNK_BYTES);
    for (let end = size; end > 0; ) {
      const start = Math.max(0, end - CHUNK_BYTES);
      await handle.read(chunk, 0, end - start, start);
      for (let i = end - start - 1; i >= 0; i--) {
        if (chunk[i] !== 0) return { size, count: size - (start + i + 1) };
      }
      end = start;
    }
    return { size, count: size };
  } finally {
    await handle.close();
  }
}
