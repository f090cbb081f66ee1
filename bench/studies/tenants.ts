import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { applyConfig } from '../../src/admin/files/applyConfig.ts';
import { monotonicMs, systemClock } from '../../src/base/clock.ts';
import { newId } from '../../src/base/ids.ts';
import { createLog } from '../../src/base/log.ts';
import { DEFAULT_TENANT } from '../../src/db/configuration/configuration.ts';
import { createPool } from '../../src/db/pool.ts';
import { connectRedis, whenReady } from '../../src/redis/connection/client.ts';
import type { Bench, Child } from '../bench.ts';
import { percentile } from '../load/percentile.ts';
import type { Print } from '../report/report.ts';
import type { Figures } from '../report/results.ts';
import type { Study } from '../study.ts';
import { CELLS } from './recorder.ts';

const TENANTS = Number(process.env.BENCH_TENANTS ?? 10_000);
const AT_ONCE = 4;
/** Time for which an idle worker is watched, and longest time for it to write what was recorded. */
const WATCH_MS = 20_000;
const DRAIN_MS_MAX = 120_000;
const POLL_MS = 100;

export const tenants: Study = {
  name: 'tenants',
  measures: 'the first event of each of 10,000 tenants, and what their number costs',
  isDefault: false,
  measure: measureTenants,
};

/** Measures the first event of cold tenants, and what the number of tenants costs servers and workers. */
async function measureTenants(bench: Bench, print: Print): Promise<Figures> {
  const server = await bench.start('server');
  const database = new pg.Client({ connectionString: bench.databaseUrl });
  await database.connect();
  await divideAccount(bench);
  await createTenants(database);

  print(`${TENANTS} tenants with one metric each, ${AT_ONCE} calls at a time, each tenant once in a pass:\n`);
  print('| first event of each tenant | p50 ms | p99 ms | max ms | server CPU ms a call | server MiB |');
  print('|---|---:|---:|---:|---:|---:|');
  const cold_ms_p99 = await measurePass(bench, server, print, 'never called: from PostgreSQL');
  const known_ms_p99 = await measurePass(bench, server, print, 'called before: from Redis');
  await measurePass(bench, server, print, 'the same again');
  const worker = await bench.start('worker');
  const drain = await drained(bench, database, 3 * TENANTS);
  await measurePass(bench, server, print, 'the same with a worker');
  const rest = await drained(bench, database, 4 * TENANTS);
  print(`\nWorker: ${drain} at its start; ${rest} after the last call of the pass with it.`);
  const idleCommandsPerSecond = await countCommands(bench);
  print(`Worker and server send ${idleCommandsPerSecond} commands/s to Redis when idle.\n`);
  await worker.stop();
  await server.stop();
  await database.end();
  return { tenants: TENANTS, cold_ms_p99, known_ms_p99, idleCommandsPerSecond };
}

/** @returns the 99th percentile of the latencies, ms */
async function measurePass(bench: Bench, server: Child, print: Print, what: string): Promise<number> {
  const cpuBefore = await serverMetric(server, 'process_cpu_seconds_total');
  const latencies_ms = await callEach(bench, server);
  const cpu_ms = (1_000 * ((await serverMetric(server, 'process_cpu_seconds_total')) - cpuBefore)) / TENANTS;
  const memory = mebibytes(await serverMetric(server, 'process_resident_memory_bytes'));
  const [p50, p99, max] = [0.5, 0.99, 1].map((share) => percentile(latencies_ms, share));
  print(
    `| ${what} | ${p50!.toFixed(1)} | ${p99!.toFixed(1)} | ${max!.toFixed(1)} | ${cpu_ms.toFixed(2)} | ${memory} |`,
  );
  return p99!;
}

async function divideAccount(bench: Bench): Promise<void> {
  const log = createLog('bench', 'warn');
  const pool = createPool(bench.databaseUrl, log);
  const redis = connectRedis(bench.redisUrl, log);
  await whenReady(redis);
  const context = { pool, redis, cells: CELLS, tenant: DEFAULT_TENANT, actor: 'bench', now: systemClock.now() };
  await applyConfig(context, { settings: { multiTenancy: true } });
  redis.disconnect();
  await pool.end();
}

/** Creates tenants marked as published, so that the first call loads them and not the worker. */
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

/** Records one event of each tenant. @returns latencies in ms, shortest first */
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

/** Waits until this many events are in PostgreSQL, or until the timeout. @returns a description of the result */
async function drained(bench: Bench, database: pg.Client, events: number): Promise<string> {
  const startMs = monotonicMs();
  const { entries } = await bench.lag();
  for (;;) {
    const { rows } = await database.query<{ n: string }>('select count(*) as n from event_history');
    const elapsedMs = monotonicMs() - startMs;
    if (Number(rows[0]!.n) >= events) return `${entries} outbox entries written in ${(elapsedMs / 1_000).toFixed(1)} s`;
    if (elapsedMs > DRAIN_MS_MAX) return `only ${rows[0]!.n} of ${events} events in PostgreSQL`;
    await sleep(POLL_MS);
  }
}

/** Commands per second that idle processes send to Redis. */
async function countCommands(bench: Bench): Promise<number> {
  const before = await redisNumber(bench, 'stats', 'total_commands_processed');
  await sleep(WATCH_MS);
  const commands = (await redisNumber(bench, 'stats', 'total_commands_processed')) - before;
  return Math.round((commands * 1_000) / WATCH_MS);
}

const mebibytes = (bytes: number): string => (bytes / 2 ** 20).toFixed(0);

async function serverMetric(server: Child, name: string): Promise<number> {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)![1]);
}

async function redisNumber(bench: Bench, section: string, name: string): Promise<number> {
  return Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(await bench.redis.info(section))![1]);
}
