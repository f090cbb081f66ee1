import { fork } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import { newAdminKey } from '../src/base/ids.ts';
import { createLog } from '../src/base/log.ts';
import { NODE_FLAGS } from '../src/base/nodeFlags.ts';
import { packageRoot } from '../src/base/packageRoot.ts';
import { startPostgres } from '../src/embedded/postgres.ts';
import { startRedis } from '../src/embedded/redis.ts';
import { CONNECTIONS, type LoadResult, runLoad } from './load.ts';
import { measureMemory } from './memory.ts';
import { measureRestore, type RestoreResult } from './restore.ts';
import { eventBodies, WORKLOAD } from './workload.ts';

const SECONDS = Number(process.env.BENCH_SECONDS ?? 6);
/** The measurements take turns, so that what else the machine does meets all of them; the median counts. */
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);

interface Stores {
  redisUrl: string;
  databaseUrl: string;
}

interface Row {
  what: string;
  result: LoadResult;
}

const log = createLog('bench', 'warn');
const dataDir = await mkdtemp(join(tmpdir(), 'laurel-bench-'));
const redis = await startRedis({ dataDir, log });
const postgres = await startPostgres({ dataDir, log });
const stores: Stores = { redisUrl: redis.url, databaseUrl: postgres.url };
const admin = new Redis(redis.url);
const { key } = newAdminKey();
const bodies = join(dataDir, 'bodies.ndjson');
try {
  // `npm run bench -- restore` measures that alone.
  if (process.argv[2] !== 'restore') {
    await writeFile(bodies, eventBodies(WORKLOAD).join('\n'));
    report(await runSuite());
    await emptyStores();
  }
  reportRestore(await measureRestore(stores.redisUrl, stores.databaseUrl));
} finally {
  admin.disconnect();
  await Promise.all([redis.stop(), postgres.stop()]);
  await rm(dataDir, { recursive: true, force: true });
}

async function runSuite(): Promise<{ rows: Row[]; memory: Awaited<ReturnType<typeof measureMemory>> }> {
  const floor = await startChild(join(import.meta.dirname, 'floorServer.js'), []);
  const server = await startChild(join(packageRoot(), 'dist', 'src', 'main.js'), ['server']);
  const url = `${server.url}/v1/metrics/lessons/event`;
  const load = { bodies, apiKey: key, seconds: SECONDS };
  const measurements: { what: string; run(round: number): Promise<LoadResult> }[] = [
    { what: 'floor: one INCR', run: () => runLoad({ ...load, url: floor.url }) },
    { what: 'full event', run: () => runLoad({ ...load, url }) },
    {
      what: 'full event with an idempotency key',
      run: (round) => runLoad({ ...load, url, idempotencyPrefix: `round-${round}-` }),
    },
    {
      what: 'leaderboard page of 10',
      run: () => runLoad({ url: `${server.url}/v1/leaderboards/weekly`, seconds: SECONDS, apiKey: key }),
    },
  ];
  const results = measurements.map((): LoadResult[] => []);
  // Round 0 warms up.
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [i, { run }] of measurements.entries()) {
      const result = await run(round);
      await dropOutbox();
      if (round > 0) results[i]!.push(result);
    }
  }
  await Promise.all([floor.stop(), server.stop()]);
  const rows = measurements.map(({ what }, i) => ({ what, result: median(results[i]!) }));
  await admin.flushall();
  return { rows, memory: await measureMemory(stores.redisUrl) };
}

async function emptyStores(): Promise<void> {
  await admin.flushall();
  const client = new Client({ connectionString: stores.databaseUrl });
  await client.connect();
  await client.query('drop schema public cascade; create schema public');
  await client.end();
}

function median(results: LoadResult[]): LoadResult {
  const sorted = results.toSorted((a, b) => a.requestsPerSecond - b.requestsPerSecond);
  return sorted[Math.floor(sorted.length / 2)]!;
}

/** Without a worker nobody takes the outbox away; it must not count as memory of the next measurement. */
async function dropOutbox(): Promise<void> {
  for (const stream of await admin.keys('*:out')) await admin.xtrim(stream, 'MAXLEN', 0);
}

async function startChild(program: string, args: string[]): Promise<{ url: string; stop(): Promise<void> }> {
  const env = {
    ...process.env,
    REDIS_URL: stores.redisUrl,
    DATABASE_URL: stores.databaseUrl,
    PORT: '0',
    HOST: '127.0.0.1',
    LOG_LEVEL: 'warn',
    LAUREL_ADMIN_KEY: key,
    LAUREL_CONFIG: join(packageRoot(), 'bench', 'config.yaml'),
    NODE_ENV: 'production',
  };
  const child = fork(program, args, { env, execArgv: NODE_FLAGS });
  const url = await new Promise<string>((resolve, reject) => {
    child.once('message', (message) => resolve((message as { url: string }).url));
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

function report({ rows, memory }: Awaited<ReturnType<typeof runSuite>>): void {
  const floor = rows[0]!.result.requestsPerSecond;
  const [cpu] = cpus();
  console.log(
    `${cpu!.model}, ${cpus().length} cores shared by load, server and Redis, ${Math.round(totalmem() / 2 ** 30)} GiB`,
  );
  console.log(
    `Node ${process.version}, ${CONNECTIONS} connections, ${WORKLOAD.users} users (Zipf, seed ${WORKLOAD.seed}), median of ${ROUNDS} rounds of ${SECONDS} s\n`,
  );
  console.log('| what | requests/s | of the floor | p50 ms | p99 ms |\n|---|---:|---:|---:|---:|');
  for (const { what, result } of rows) {
    const ratio = (result.requestsPerSecond / floor).toFixed(2);
    const { latency_ms_p50: p50, latency_ms_p99: p99 } = result;
    console.log(
      `| ${what} | ${Math.round(result.requestsPerSecond)} | ${ratio} | ${p50.toFixed(1)} | ${p99.toFixed(1)} |`,
    );
  }
  console.log(
    `\nMemory: ${memory.perUser_bytes.toFixed(0)} bytes a user, ${memory.perIdempotencyKey_bytes.toFixed(1)} bytes an idempotency key`,
  );
}

function reportRestore({ users, fingerprints, seconds }: RestoreResult): void {
  console.log(`\nRestore: ${users} users and ${fingerprints} idempotency keys in ${seconds.toFixed(1)} s`);
}
