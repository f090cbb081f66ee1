import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readEnv } from '../src/base/env.ts';
import { schemaVersion } from '../src/db/migrate.ts';
import { type RunningWorker, startWorker } from '../workers/main.ts';
import { freePort } from './support/installation.ts';
import { startTestServer, type TestServer } from './support/server.ts';
import { until } from './support/until.ts';

const EVENTS = 30;

let server: TestServer;
let worker: RunningWorker;
let workerUrl: string;

beforeAll(async () => {
  server = await startTestServer({ env: { LAUREL_HISTORY_WAIT_MS: '60000' } });
  const port = await freePort();
  const { redisUrl, databaseUrl } = server;
  const env = readEnv({ WORKER_PORT: String(port), HOST: '127.0.0.1', LAUREL_TEST_CLOCK: '1' });
  worker = await startWorker({ ...env, redisUrl, databaseUrl }, pino({ level: 'silent' }));
  workerUrl = `http://127.0.0.1:${port}`;
  for (let i = 0; i < EVENTS; i++) {
    await server.call('POST', '/v1/metrics/lessons/event', { user: { id: `user-${i}` }, value: 1 });
  }
  await server.call('POST', '/v1/metrics/lessons/event', { user: {} });
  await server.call(
    'GET',
    '/v1/users/user-1/metrics/lessons/event-summary?aggregation=daily&start_date=2026-01-01&end_date=2026-01-05',
  );
});
afterAll(async () => {
  await worker.stop();
  await server.stop();
});

/** The samples of a page, by name and labels as they are written. */
async function read(url: string): Promise<Map<string, number>> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const samples = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    samples.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

const find = (samples: Map<string, number>, start: string): [string, number][] =>
  [...samples].filter(([name]) => name.startsWith(start));

describe('metrics of a server', () => {
  test('hold the time of requests by route and class of the status', async () => {
    const samples = await read(server.url);
    const route = 'method="POST",route="/v1/metrics/{key}/event"';
    expect(samples.get(`laurel_http_request_seconds_count{${route},status="2xx"}`)).toBe(EVENTS);
    expect(samples.get(`laurel_http_request_seconds_count{${route},status="4xx"}`)).toBe(1);
    expect(samples.get(`laurel_http_request_seconds_bucket{${route},status="2xx",le="+Inf"}`)).toBe(EVENTS);
    expect(samples.get(`laurel_http_request_seconds_sum{${route},status="2xx"}`)).toBeGreaterThan(0);
    const buckets = find(samples, `laurel_http_request_seconds_bucket{${route},status="2xx"`).map(([, count]) => count);
    expect(buckets).toEqual([...buckets].sort((a, b) => a - b));
    expect(find(samples, 'laurel_http_request_seconds_count{method="POST",route="/v1/users')).toEqual([]);
  });

  test('hold the time of scripts, Redis calls and statements', async () => {
    const samples = await read(server.url);
    expect(samples.get('laurel_script_seconds_count{script="recordEvents"}')).toBeGreaterThanOrEqual(1);
    expect(find(samples, 'laurel_redis_seconds_count{command=').length).toBeGreaterThanOrEqual(1);
    expect(samples.get('laurel_postgres_seconds_count{pool="main"}')).toBeGreaterThanOrEqual(1);
    expect(samples.get('laurel_postgres_seconds_count{pool="history"}')).toBeGreaterThanOrEqual(1);
    expect(samples.get('laurel_postgres_connections{pool="history",state="waiting"}')).toBe(0);
  });

  test('say what runs and what waits', async () => {
    const samples = await read(server.url);
    expect(find(samples, 'laurel_build_info')[0]![0]).toContain(`schema="${schemaVersion()}"`);
    expect(samples.get('laurel_dead_entries')).toBe(0);
    expect(samples.get('laurel_leaderboards_overdue')).toBe(0);
    expect(samples.get('laurel_sweep_lag_seconds')).toBeLessThan(60);
    expect(samples.get('laurel_jobs_oldest_seconds{queue="sweep"}')).toBeLessThan(60);
    expect(samples.get('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0);
  });
});

test('metrics of a worker hold what its relay has written, and its statements', async () => {
  await until(async () => (await read(workerUrl)).get('laurel_relay_changes_total') === EVENTS);
  const samples = await read(workerUrl);
  expect(samples.get('laurel_postgres_seconds_count{pool="worker"}')).toBeGreaterThanOrEqual(1);
  expect(samples.get('laurel_script_seconds_count{script="acknowledge"}')).toBeGreaterThanOrEqual(1);
  expect(samples.get('laurel_relay_dead_entries_total')).toBe(0);
});
