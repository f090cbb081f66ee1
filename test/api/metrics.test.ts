import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { readEnv } from '../../src/base/env.ts';
import { packageRoot } from '../../src/base/packageRoot.ts';
import { schemaVersion } from '../../src/db/migrate.ts';
import { findOnPath } from '../../src/embedded/commands.ts';
import { connectForJobs } from '../../src/redis/connection/redisClient.ts';
import { keys } from '../../src/redis/keys/redisKeys.ts';
import { countDelivery } from '../../src/redis/state/deliveryCounts.ts';
import { Jobs } from '../../workers/jobs/jobs.ts';
import { type RunningWorker, startWorker } from '../../workers/start/startWorker.ts';
import { freePort } from '../support/installation.ts';
import { faultsOf, readSamples } from '../support/promQueries.ts';
import { until } from '../support/until.ts';
import { useServer } from '../support/useServer.ts';

const EVENTS = 30;
/** From the package `prometheus` of Debian. */
const hasPromtool = findOnPath('promtool') !== null;
if (!hasPromtool)
  console.log('promtool is not installed: alerts are not checked (apt-get install prometheus)');

/** An identity provider that does not answer. */
const NO_PROVIDER = {
  LAUREL_PUBLIC_URL: 'http://127.0.0.1',
  LAUREL_OIDC_ISSUER: 'http://127.0.0.1:1',
  LAUREL_OIDC_CLIENT_ID: 'laurel',
  LAUREL_OIDC_CLIENT_SECRET: 'secret',
  LAUREL_OIDC_ROLES: '*=read',
};

const server = useServer({ env: NO_PROVIDER });
let worker: RunningWorker;
let workerUrl: string;

beforeAll(async () => {
  const port = await freePort();
  const { redisUrl, databaseUrl } = server;
  const env = readEnv({ WORKER_PORT: String(port), HOST: '127.0.0.1', LAUREL_TEST_CLOCK: '1' });
  worker = await startWorker({ ...env, redisUrl, databaseUrl }, pino({ level: 'silent' }));
  workerUrl = `http://127.0.0.1:${port}`;
  for (let i = 0; i < EVENTS; i++) {
    await server.call('POST', '/v1/metrics/lessons/event', { user: { id: `user-${i}` }, value: 1 });
  }
  await server.call('POST', '/v1/metrics/lessons/event', { user: {} });
  const { body: begun } = await server.call('POST', '/admin/v1/imports', { kind: 'users' });
  const chunk = { chunk: 0, rows: [{ line: 1, row: '{}' }], isLast: true };
  await server.call('POST', `/admin/v1/imports/${begun.id}/chunks`, chunk);
  await server.call(
    'GET',
    '/v1/users/user-1/metrics/lessons/event-summary?aggregation=daily&start_date=2026-01-01&end_date=2026-01-05',
  );
});
afterAll(() => worker.stop());

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
    const buckets = find(samples, `laurel_http_request_seconds_bucket{${route},status="2xx"`).map(
      ([, count]) => count,
    );
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
    // What a busy machine does not read in time is missing.
    await until(async () => {
      const samples = await read(server.url);
      expect(samples.get('laurel_imports{state="done"}')).toBe(1);
      expect(find(samples, 'laurel_build_info')[0]![0]).toContain(`schema="${schemaVersion()}"`);
      expect(samples.get('laurel_dead_entries')).toBe(0);
      expect(samples.get('laurel_leaderboards_overdue')).toBe(0);
      expect(samples.get('laurel_import_rows{kind="users",outcome="refused"}')).toBe(1);
      expect(samples.get('laurel_sweep_lag_seconds')).toBeLessThan(60);
      expect(samples.get('laurel_jobs_oldest_seconds{queue="sweep"}')).toBeLessThan(60);
      expect(samples.get('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0);
      return true;
    });
  });
});

test('metrics of a worker hold what its relay has written, and its statements', async () => {
  await until(async () => (await read(workerUrl)).get('laurel_relay_changes_total') === EVENTS);
  const samples = await read(workerUrl);
  expect(samples.get('laurel_postgres_seconds_count{pool="worker"}')).toBeGreaterThanOrEqual(1);
  expect(samples.get('laurel_script_seconds_count{script="acknowledge"}')).toBeGreaterThanOrEqual(1);
  expect(samples.get('laurel_relay_dead_entries_total')).toBe(0);
});

describe('queries', () => {
  const root = packageRoot();
  const dashboards = ['laurel.json', 'product.json'];
  interface Panel {
    title: string;
    targets: { expr: string }[];
  }
  interface Alert {
    alert: string;
    expr: string;
    annotations: { summary: string; runbook: string };
  }
  const panels = dashboards.flatMap(
    (file): Panel[] => JSON.parse(readFileSync(join(root, 'deploy', 'grafana', file), 'utf8')).panels,
  );
  const alerts: Alert[] = parse(readFileSync(join(root, 'deploy', 'alerts.yml'), 'utf8')).groups[0].rules;

  /** What shows only when something goes wrong happens once. */
  beforeAll(async () => {
    const { redis } = server;
    await redis.xadd(keys.outbox(0), '*', 'fn', 'recordEvents/999', 'tenant', '1', 'now', '0');
    const jobs = new Jobs(
      connectForJobs(server.redisUrl, pino({ level: 'silent' })),
      pino({ level: 'silent' }),
    );
    await jobs.queue('sweep').add('unknown', {});
    countDelivery(redis, 'email', 'sent', null);
    await fetch(`${server.url}/console/oidc/sign-in`, { redirect: 'manual' });
    await until(async () => {
      const [ofServer, ofWorker] = await Promise.all([read(server.url), read(workerUrl)]);
      return (
        find(ofServer, 'laurel_outbox_skipped_entries').length *
          find(ofWorker, 'laurel_jobs_left_total').length >
        0
      );
    });
    await jobs.stop();
  });

  test('of the dashboards and alerts name metrics and labels of running processes', async () => {
    const readPages = async () =>
      readSamples(
        await Promise.all([server.url, workerUrl].map(async (url) => (await fetch(`${url}/metrics`)).text())),
      );
    const queries = [
      ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
      ...alerts.map(({ expr }) => expr),
    ];
    expect(queries.length).toBeGreaterThan(50);
    // What a busy machine does not read in time is missing.
    const samples = await until(async () => {
      const found = await readPages();
      expect(queries.flatMap((query) => faultsOf(query, found))).toEqual([]);
      return found;
    });
    // The check sees what is wrong.
    expect(faultsOf('sum(rate(laurel_nothing[1m]))', samples)).toEqual(['unknown metric laurel_nothing']);
    expect(faultsOf('laurel_jobs{what="x"}', samples)).toEqual(['unknown label laurel_jobs{what}']);
    expect(faultsOf('sum by (what) (laurel_jobs)', samples)).toEqual([
      'unknown label what in: sum by (what) (laurel_jobs)',
    ]);
    expect(faultsOf('sum(laurel_jobs', samples)[0]).toContain('syntax');
  });

  test('of the dashboards and alerts use every metric of laurel', async () => {
    const pages = await Promise.all(
      [server.url, workerUrl].map(async (url) => (await fetch(`${url}/metrics`)).text()),
    );
    const names = pages.flatMap((page) =>
      [...page.matchAll(/^# TYPE (laurel_\w+) /gm)].map(([, name]) => name!),
    );
    const queries = [...panels.flatMap(({ targets }) => targets), ...alerts]
      .map(({ expr }) => expr)
      .join('\n');
    const isUsed = (name: string): boolean => new RegExp(`\\b${name}(_bucket|_sum|_count)?\\b`).test(queries);
    expect(names.filter((name) => !isUsed(name))).toEqual([]);
  });

  test('of alerts have a runbook entry each, and no entry is left over', () => {
    const runbooks = readFileSync(join(root, 'docs', 'runbooks.md'), 'utf8');
    const entries = [...runbooks.matchAll(/^## (.+)$/gm)].map(([, name]) => name);
    expect(entries).toEqual(alerts.map(({ alert }) => alert));
    for (const { alert, annotations } of alerts)
      expect(annotations.runbook).toBe(`docs/runbooks.md#${alert.toLowerCase()}`);
  });

  test.skipIf(!hasPromtool)('of alerts pass promtool', () => {
    execFileSync('promtool', ['check', 'rules', join(root, 'deploy', 'alerts.yml')]);
  });
});
