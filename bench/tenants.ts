import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { applyConfig } from '../src/admin/applyConfig.ts';
import { monotonicMs, systemClock } from '../src/base/clock.ts';
import { newId } from '../src/base/ids.ts';
import { createLog } from '../src/base/log.ts';
import { DEFAULT_TENANT } from '../src/db/configuration.ts';
import { createPool } from '../src/db/pool.ts';
import { publishStored } from '../src/db/publishing.ts';
import { connectRedis, whenReady } from '../src/redis/client.ts';
import type { Bench, Child } from './bench.ts';
import { SHARDS } from './recorder.ts';

const TENANTS = Number(process.env.BENCH_TENANTS ?? 10_000);
const AT_ONCE = 4;
/** How long an idle worker is watched, and how long it gets to write what the passes recorded. */
const WATCH_MS = 20_000;
const DRAIN_MS_MAX = 120_000;

/** Many tenants with one metric each: what the first event of a cold one takes, and what servers and workers pay for their number. */
export async function measureTenants(bench: Bench): Promise<void> {
  const server = await bench.start('server');
  const database = new pg.Client({ connectionString: bench.databaseUrl });
  await database.connect();
  await divideAccount(bench);
  await createTenants(database);

  console.log(`\n${TENANTS} tenants, ${AT_ONCE} calls at a time\n`);
  console.log('| first event of each tenant | p50 ms | p99 ms | max ms | server MiB |\n|---|---:|---:|---:|---:|');
  for (const what of ['never called: from PostgreSQL', 'called before: from Redis', 'the same again']) {
    const latencies_ms = await callEach(bench, server);
    const at = (share: number): string =>
      latencies_ms[Math.min(latencies_ms.length - 1, Math.floor(share * latencies_ms.length))]!.toFixed(1);
    console.log(`| ${what} | ${at(0.5)} | ${at(0.99)} | ${at(1)} | ${mebibytes(await residentMemory(server))} |`);
  }
  await server.stop();
  await watchWorker(bench, database);
  await database.end();
}

async function divideAccount(bench: Bench): Promise<void> {
  const log = createLog('bench', 'warn');
  const pool = createPool(bench.databaseUrl, log);
  const redis = connectRedis(bench.redisUrl, log);
  await whenReady(redis);
  const author = { actor: 'bench', now: systemClock.now() };
  await applyConfig(pool, DEFAULT_TENANT, { settings: { multiTenancy: true } }, author);
  await publishStored({ pool, redis, shards: SHARDS }, DEFAULT_TENANT);
  redis.disconnect();
  await pool.end();
}

/** Marked as published, so that it is the call that finds each of them, and not the worker. */
async function createTenants(database: pg.Client): Promise<void> {
  const now = new Date(systemClock.now());
  const ids = () => Array.from({ length: TENANTS }, newId);
  const [tenants, metrics, counters] = [ids(), ids(), ids()];
  await database.query(
    `with made as (
       insert into tenants (id, customer_id, name, version, published, created, updated)
       select id, 'tenant-' || n, 'Tenant ' || n, 1, 1, $4, $4 from unnest($1::uuid[]) with ordinality as t(id, n)
       returning no, customer_id),
     parts as (
       select made.no as tenant, metric, counter from made
       join unnest($2::uuid[], $3::uuid[]) with ordinality as part(metric, counter, n) on customer_id = 'tenant-' || n),
     numbered as (
       insert into entity_numbers (tenant, kind, last)
       select tenant, kind, 1 from parts, unnest(array['metrics', 'counters']) as kind)
     insert into entities (tenant, kind, id, no, key, body, created, updated)
     select tenant, 'metrics', metric, 1, 'lessons', '{"name": "Lessons", "unitType": "number", "units": ""}', $4, $4 from parts
     union all
     select tenant, 'counters', counter, 1, null, jsonb_build_object('metricId', metric, 'eventAttributes', '[]'::jsonb), $4, $4
     from parts`,
    [tenants, metrics, counters, now],
  );
}

/** One event of each tenant; how long each took, shortest first. */
async function callEach(bench: Bench, server: Child): Promise<number[]> {
  const latencies_ms: number[] = [];
  let next = 1;
  const call = async (): Promise<void> => {
    while (next <= TENANTS) {
      const tenant = `tenant-${next++}`;
      const startMs = monotonicMs();
      const response = await fetch(`${server.url}/v1/metrics/lessons/event`, {
        method: 'POST',
        headers: { 'X-API-KEY': bench.apiKey, 'Tenant-ID': tenant, 'Content-Type': 'application/json' },
        body: '{"user":{"id":"ada"},"value":1}',
      });
      const text = await response.text();
      if (response.status !== 201) throw new Error(`${tenant} was answered ${response.status}: ${text}`);
      latencies_ms.push(monotonicMs() - startMs);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, call));
  return latencies_ms.sort((a, b) => a - b);
}

/** What the number of tenants costs a worker and Redis: while it writes what was recorded, and with nothing to do. */
async function watchWorker(bench: Bench, database: pg.Client): Promise<void> {
  const before_bytes = await redisNumber(bench, 'memory', 'used_memory');
  const worker = await bench.start('worker');
  const startMs = monotonicMs();
  const events = async (): Promise<number> =>
    Number((await database.query<{ n: string }>('select count(*) as n from metric_events')).rows[0]!.n);
  let written = await events();
  while (written < 3 * TENANTS && monotonicMs() - startMs < DRAIN_MS_MAX) {
    await sleep(1_000);
    written = await events();
  }
  const seconds = (monotonicMs() - startMs) / 1_000;
  const commandsBefore = await redisNumber(bench, 'stats', 'total_commands_processed');
  await sleep(WATCH_MS);
  const commands = (await redisNumber(bench, 'stats', 'total_commands_processed')) - commandsBefore;
  const after_bytes = await redisNumber(bench, 'memory', 'used_memory');
  console.log(
    `\nWorker: ${written} of ${3 * TENANTS} events in PostgreSQL after ${seconds.toFixed(0)} s; then ${Math.round((commands * 1_000) / WATCH_MS)} Redis commands/s; Redis ${mebibytes(before_bytes)} MiB before it, ${mebibytes(after_bytes)} after`,
  );
  await worker.stop();
}

const mebibytes = (bytes: number): string => (bytes / 2 ** 20).toFixed(0);

async function residentMemory(server: Child): Promise<number> {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  return Number(/^process_resident_memory_bytes (\S+)/m.exec(text)![1]);
}

async function redisNumber(bench: Bench, section: string, name: string): Promise<number> {
  return Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(await bench.redis.info(section))![1]);
}
