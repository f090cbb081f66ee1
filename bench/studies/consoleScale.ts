import { monotonicMs, systemClock } from '../../src/base/clock.ts';
import { createLog } from '../../src/base/log.ts';
import { createPool, type Pool } from '../../src/db/pool.ts';
import type { Bench } from '../bench.ts';
import type { Print } from '../report/report.ts';
import type { Measurements } from '../report/results.ts';
import type { Study } from '../study.ts';
import { listConsoleCalls, RANGE_DAYS } from './consoleCalls.ts';
import { prepareStores } from './prepare.ts';
import { createRecorder } from './recorder.ts';
import { SCALE, writeScaleRows } from './scaleRows.ts';

/** Calls of each kind; the median counts. */
const CALLS = 7;
/** Users whose state is in Redis: those whom the lists show. */
const USERS_IN_REDIS = 5_000;
/** Tables below this size may be read as a whole. */
const LARGE_TABLE_ROWS = 10_000;

export const consoleScale: Study = {
  name: 'console-scale',
  measures: 'the calls of the console with a million users and two years of 137,000 events a day',
  isDefault: false,
  measure: measureConsoleScale,
};

/** Fills both stores, without a server. @returns seconds that the tables took */
async function prepareScale(bench: Bench, pool: Pool): Promise<number> {
  const config = await prepareStores(pool, bench.redisUrl, JSON.stringify(scaleConfig()));
  const recorder = await createRecorder(bench.redisUrl, config);
  await recorder.record(USERS_IN_REDIS, (user) => ({ user, key: null }));
  recorder.redis.disconnect();
  await bench.dropOutbox();
  const startMs = monotonicMs();
  await writeScaleRows(pool, systemClock.now());
  return (monotonicMs() - startMs) / 1_000;
}

/** Measures the calls of the console at SCALE, and lists sequential scans of large tables. */
async function measureConsoleScale(bench: Bench, print: Print): Promise<Measurements> {
  const pool = createPool(bench.databaseUrl, createLog('bench', 'warn'));
  const seconds = await prepareScale(bench, pool);
  const server = await bench.start('server');
  print(
    [
      `The calls of the console with ${SCALE.users} users and ${SCALE.days} days of ${SCALE.eventsPerDay} events (tables written in ${seconds.toFixed(0)} s).`,
      `Ranges have ${RANGE_DAYS} days. Each call ${CALLS} times:`,
      '',
      '| call | median ms | fastest ms | kB |',
      '|---|---:|---:|---:|',
    ].join('\n'),
  );
  const slowest_ms = await measureCalls(server.url, bench.apiKey, pool, print);
  await server.stop();
  await pool.end();
  return { users: SCALE.users, slowest_ms };
}

/** Prints a row for each call. @returns the longest median, ms */
async function measureCalls(url: string, apiKey: string, pool: Pool, print: Print): Promise<number> {
  let slowest_ms = 0;
  const scansBefore = await readScans(pool);
  for (const { path, body } of await listConsoleCalls(pool)) {
    const times: number[] = [];
    let bytes = 0;
    for (let i = 0; i < CALLS; i++) {
      const callMs = monotonicMs();
      const response = await fetch(url + path, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { 'X-API-KEY': apiKey, 'Content-Type': 'application/json' },
        body: body && JSON.stringify(body),
      });
      bytes = (await response.arrayBuffer()).byteLength;
      times.push(monotonicMs() - callMs);
      if (!response.ok) throw new Error(`${path}: ${response.status}`);
    }
    times.sort((a, b) => a - b);
    slowest_ms = Math.max(slowest_ms, times[CALLS >> 1]!);
    const shown = [times[CALLS >> 1]!, times[0]!, bytes / 1_000].map((value) => value.toFixed(1));
    print(`| ${path.replaceAll('|', '\\|')} | ${shown.join(' | ')} |`);
  }
  print(`\nSequential scans of large tables: ${scansOf(scansBefore, await readScans(pool))}\n`);
  return slowest_ms;
}

const times = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i + 1));

function scaleConfig(): object {
  const { metrics, achievements, systems, triggersPerSystem, boards } = SCALE;
  const key = (n: number): string => (n === 1 ? 'lessons' : `m${n}`);
  return {
    settings: { defaultTimeZone: 'UTC', experimentation: { controlRatio: 10 } },
    attributes: {
      user: [
        { key: 'city', name: 'City' },
        { key: 'plan', name: 'Plan' },
      ],
    },
    metrics: times(metrics, (n) => ({ key: key(n), name: `Metric ${n}` })),
    streak: { enabled: true, metrics: [{ key: 'lessons', threshold: 1 }] },
    achievements: times(achievements, (n) => ({
      key: `a${n}`,
      name: `Achievement ${n}`,
      trigger: 'metric',
      metric: key(1 + (n % metrics)),
      metricValue: n,
    })),
    points: times(systems, (n) => ({
      key: `p${n}`,
      name: `Points ${n}`,
      levels: times(10, (level) => ({ key: `l${level}`, name: `Level ${level}`, points: level * 5_000 })),
      triggers: times(triggersPerSystem, (i) => ({
        type: 'metric',
        metric: key(i + 1),
        metricThreshold: n,
        points: 10,
      })),
    })),
    webhooks: [{ name: 'Backend', url: 'https://example.com/hook', events: ['streak.lost'] }],
    leaderboards: times(boards, (n) => ({
      key: `b${n}`,
      name: `Board ${n}`,
      rankBy: 'metric',
      metric: key(n),
      start: '2026-01-01',
    })),
  };
}

async function readScans(pool: Pool): Promise<Map<string, number>> {
  const { rows } = await pool.query<{ name: string; scans: string }>(
    `select relname as name, seq_scan as scans from pg_stat_user_tables where n_live_tup > $1`,
    [LARGE_TABLE_ROWS],
  );
  return new Map(rows.map(({ name, scans }) => [name, Number(scans)]));
}

function scansOf(before: Map<string, number>, after: Map<string, number>): string {
  const found = [...after].filter(([name, scans]) => scans > (before.get(name) ?? 0));
  return found.map(([name, scans]) => `${name} ${scans - (before.get(name) ?? 0)}`).join(', ') || 'none';
}
