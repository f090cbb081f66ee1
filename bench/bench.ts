import { fork } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { newAdminKey } from '../src/base/ids.ts';
import { BATCH_EVENTS_MAX } from '../src/base/limits.ts';
import { createLog } from '../src/base/log.ts';
import { NODE_FLAGS } from '../src/base/nodeFlags.ts';
import { packageRoot } from '../src/base/packageRoot.ts';
import { startPostgres } from '../src/embedded/postgres.ts';
import { startRedis } from '../src/embedded/redis.ts';
import { type RelayLag, readRelayLag } from '../src/redis/outbox.ts';
import { CELLS } from './recorder.ts';
import { batchBodies, eventBodies, WORKLOAD } from './workload.ts';

export const SECONDS = Number(process.env.BENCH_SECONDS ?? 6);
export const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);

/** A process of the service, or the server of the floor. */
export interface Child {
  /** URL of a server; empty for a worker. */
  url: string;
  stop(): Promise<void>;
}

/** Both stores, empty. */
export interface Bench {
  redisUrl: string;
  databaseUrl: string;
  redis: Redis;
  apiKey: string;
  /** File of metric events, one body per line. */
  bodies: string;
  /** File of the same events in batches of BATCH_EVENTS_MAX. */
  batches: string;
  start(role: 'server' | 'worker'): Promise<Child>;
  startFloor(): Promise<Child>;
  /** Empties the outbox, which no worker reads, so that it does not count as memory of the next measurement. */
  dropOutbox(): Promise<void>;
  lag(): Promise<RelayLag>;
  close(): Promise<void>;
}

export async function openBench(): Promise<Bench> {
  const log = createLog('bench', 'warn');
  const dataDir = await mkdtemp(join(tmpdir(), 'laurel-bench-'));
  const [embeddedRedis, postgres] = [await startRedis({ dataDir, log }), await startPostgres({ dataDir, log })];
  const redis = new Redis(embeddedRedis.url);
  const { key: apiKey } = newAdminKey();
  const bodies = join(dataDir, 'bodies.ndjson');
  const batches = join(dataDir, 'batches.ndjson');
  await writeFile(bodies, eventBodies(WORKLOAD).join('\n'));
  await writeFile(batches, batchBodies(WORKLOAD, BATCH_EVENTS_MAX).join('\n'));
  const env = {
    ...process.env,
    REDIS_URL: embeddedRedis.url,
    DATABASE_URL: postgres.url,
    PORT: '0',
    HOST: '127.0.0.1',
    LOG_LEVEL: 'warn',
    LAUREL_ADMIN_KEY: apiKey,
    LAUREL_CELLS: String(CELLS),
    LAUREL_CONFIG: join(packageRoot(), 'bench', 'config.yaml'),
    NODE_ENV: 'production',
  };
  return {
    redisUrl: embeddedRedis.url,
    databaseUrl: postgres.url,
    redis,
    apiKey,
    bodies,
    batches,
    start: (role) => startChild(join(packageRoot(), 'dist', 'src', 'main.js'), [role], env),
    startFloor: () => startChild(join(import.meta.dirname, 'floorServer.js'), [], env),
    dropOutbox: async () => {
      for (const stream of await redis.keys('*:out')) await redis.xtrim(stream, 'MAXLEN', 0);
    },
    lag: () => readRelayLag(redis, CELLS),
    close: async () => {
      redis.disconnect();
      await Promise.all([embeddedRedis.stop(), postgres.stop()]);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function startChild(program: string, args: string[], env: NodeJS.ProcessEnv): Promise<Child> {
  const child = fork(program, args, { env, execArgv: NODE_FLAGS });
  const url = await new Promise<string>((resolve, reject) => {
    child.once('message', (message) => resolve((message as { url?: string }).url ?? ''));
    child.once('exit', (code) => reject(new Error(`${program} ended with ${code}`)));
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return {
    url,
    stop: () => {
      child.kill('SIGTERM');
      if (child.connected) child.disconnect();
      return exited;
    },
  };
}

/** The median result in the order of `by`. */
export function median<T>(results: readonly T[], by: (result: T) => number): T {
  const sorted = results.toSorted((a, b) => by(a) - by(b));
  return sorted[Math.floor(sorted.length / 2)]!;
}
