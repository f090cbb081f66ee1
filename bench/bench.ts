import { fork } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { allCells } from '../src/base/cells.ts';
import { newAdminKey } from '../src/base/ids.ts';
import { createLog } from '../src/base/log.ts';
import { NODE_FLAGS } from '../src/base/nodeFlags.ts';
import { packageRoot } from '../src/base/packageRoot.ts';
import { startPostgres } from '../src/embedded/postgres.ts';
import { startRedis } from '../src/embedded/redis.ts';
import { keys } from '../src/redis/keys/redisKeys.ts';
import { type RelayLag, readRelayLag } from '../src/redis/state/relayProgress.ts';
import { PROGRAM } from '../tools/program.ts';
import { CELLS } from './studies/recorder.ts';

/** A process of the service, or another server. */
export interface Child {
  pid: number;
  /** URL of a server; empty for a worker. */
  url: string;
  stop(): Promise<void>;
}

/** Both stores, empty at first. */
export interface Bench {
  /** For files of the run. It is removed with the stores. */
  directory: string;
  redisUrl: string;
  databaseUrl: string;
  redis: Redis;
  apiKey: string;
  /** Process ids of the stores. */
  pids: { redis: number; postgres: number };
  /**
   * Starts a process of the service. @param flags additional flags of Node @param settings additional
   * environment variables
   */
  start(role: 'server' | 'worker', flags?: string[], settings?: NodeJS.ProcessEnv): Promise<Child>;
  /** Starts another server with the same stores. @param program path relative to the compiled bench */
  startProgram(program: string): Promise<Child>;
  /**
   * Empties the outbox, which no worker reads, so that it does not count as memory of the next measurement.
   */
  dropOutbox(): Promise<void>;
  lag(): Promise<RelayLag>;
  close(): Promise<void>;
}

export async function openBench(): Promise<Bench> {
  const log = createLog('bench', 'warn');
  const directory = await mkdtemp(join(tmpdir(), 'laurel-bench-'));
  const data = { dataDir: directory, log };
  const [embeddedRedis, postgres] = [await startRedis(data), await startPostgres(data)];
  const redis = new Redis(embeddedRedis.url);
  const { key: apiKey } = newAdminKey();
  const env = {
    ...process.env,
    REDIS_URL: embeddedRedis.url,
    DATABASE_URL: postgres.url,
    PORT: '0',
    HOST: '127.0.0.1',
    LOG_LEVEL: 'warn',
    LAUREL_ADMIN_KEY: apiKey,
    LAUREL_CELLS: String(CELLS.count),
    LAUREL_CONFIG: join(packageRoot(), 'bench', 'config.yaml'),
    LAUREL_DRAIN_SECONDS: '0',
    LAUREL_DATA_DIR: directory,
    // Receivers of webhooks run on this machine.
    LAUREL_WEBHOOK_ALLOW_PRIVATE: '1',
    NODE_ENV: 'production',
  };
  return {
    directory,
    redisUrl: embeddedRedis.url,
    databaseUrl: postgres.url,
    redis,
    apiKey,
    pids: { redis: embeddedRedis.pid, postgres: postgres.pid },
    start: (role, flags = [], settings = {}) => startChild(PROGRAM, [role], { ...env, ...settings }, flags),
    startProgram: (path) => startChild(join(import.meta.dirname, path), [], env, []),
    dropOutbox: async () => {
      await Promise.all(allCells(CELLS).map((cell) => redis.xtrim(keys.outbox(cell), 'MAXLEN', 0)));
    },
    lag: () => readRelayLag(redis, CELLS),
    close: async () => {
      redis.disconnect();
      await Promise.all([embeddedRedis.stop(), postgres.stop()]);
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function startChild(
  program: string,
  args: string[],
  env: NodeJS.ProcessEnv,
  flags: string[],
): Promise<Child> {
  const child = fork(program, args, { env, execArgv: [...NODE_FLAGS, ...flags] });
  const url = await new Promise<string>((resolve, reject) => {
    child.once('message', (message) => resolve((message as { url?: string }).url ?? ''));
    child.once('exit', (code) => reject(new Error(`${program} ended with ${code}`)));
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return {
    pid: child.pid!,
    url,
    stop: () => {
      child.kill('SIGTERM');
      if (child.connected) child.disconnect();
      return exited;
    },
  };
}
