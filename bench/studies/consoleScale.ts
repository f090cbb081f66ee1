import { monotonicMs, systemClock } from '../../src/base/clock.ts';
import { createLog } from '../../src/base/log.ts';
import { DEFAULT_TENANT, loadConfig } from '../../src/db/configuration/loadConfig.ts';
import { createPool, type Pool } from '../../src/db/pool.ts';
import { dateOfDay } from '../../src/rules/calendar.ts';
import type { Bench } from '../bench.ts';
import type { Print } from '../report/report.ts';
import type { Measurements } from '../report/results.ts';
import type { Study } from '../study.ts';
import { prepareStores } from './prepare.ts';
import { createRecorder } from './recorder.ts';
import { SCALE, SHOWN_USER, writeScaleRows } from './scaleRows.ts';

/** Calls of each kind; the median counts. */
const CALLS = 7;
/** Users whose state is in Redis: those whom the lists show. */
const USERS_IN_REDIS = 5_000;
const RANGE_DAYS = 365;
const DAY_MS = 86_400_000;
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
  await prepareStores(pool, bench.redisUrl, JSON.stringify(scaleConfig()));
  const recorder = await createRecorder(bench.redisUrl, await loadConfig(pool, DEFAULT_TENANT));
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
  for (const path of await listCalls(pool)) {
    const times: number[] = [];
    let bytes = 0;
    for (let i = 0; i < CALLS; i++) {
      const callMs = monotonicMs();
      const response = await fetch(url + path, { headers: { 'X-API-KEY': apiKey } });
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

/** What the screens of the console call, the longest ranges first. */
async function listCalls(pool: Pool): Promise<string[]> {
  const today = Math.floor(systemClock.now() / DAY_MS);
  const range = (interval: string): string =>
    `from=${dateOfDay(today - RANGE_DAYS + 1)}&to=${dateOfDay(today)}&interval=${interval}`;
  const ranged = (path: string): string[] =>
    ['day', 'month'].map((unit) => `/admin/v1/analytics/${path}?${range(unit)}`);
  const { rows } = await pool.query<{ id: string }>(
    `select id from entities where kind = 'leaderboards' order by no limit 1`,
  );
  const list = (query: string): string => `/admin/v1/users?limit=50&${query}`;
  const user = `/admin/v1/users/${SHOWN_USER}`;
  return [
    ...[
      'activity',
      'metrics',
      'achievements',
      'achievements/a1',
      'streaks',
      'points/p1',
      'leaderboards/b1',
      'notifications',
    ].flatMap(ranged),
    `/admin/v1/analytics/lifecycle?${range('week').replace('&interval=week', '')}`,
    '/admin/v1/analytics/streaks-at-risk',
    '/admin/v1/analytics/achievements/a1/funnel',
    ...['', '?splitBy=control', '?splitBy=streak', '?splitBy=attribute&attribute=city'].map(
      (query) => `/admin/v1/analytics/retention${query}`,
    ),
    '/admin/v1/analytics/experiment',
    ...['sort=created', 'sort=active', 'sort=id', 'query=user-4', 'query=user%204', 'query=user-4%40'].map(
      list,
    ),
    ...['query=example', 'query=99', 'points=p1&sort=points', 'sort=streak', 'achievement=a1'].map(list),
    ...['points=p1&level=l5', 'points=p1&pointsMax=100&sort=points', 'sort=inactive&inactiveDays=5'].map(
      list,
    ),
    ...['withoutAchievement=a1&sort=streak', 'achievement=a1&points=p1&pointsMin=49000'].map(list),
    ...[
      'control=true',
      'userAttributes=city:value-3',
      'activeAfter=2020-01-01&sort=active',
      'createdBefore=2020-01-01',
    ].map(list),
    ...['', '/timeline?limit=50', '/timeline?limit=50&kinds=points'].map((below) => user + below),
    ...[
      'metrics',
      'achievements?includeIncomplete=true',
      'streak?historyPeriods=182',
      'points/p1?awards=12',
    ].map((below) => `/v1/users/${SHOWN_USER}/${below}`),
    ...['/v1/leaderboards/b1?limit=20', '/v1/streaks/rankings?limit=10', '/v1/achievements'],
    ...['/winners?limit=30', '/hidden-users?limit=100'].map(
      (below) => `/admin/v1/leaderboards/${rows[0]!.id}${below}`,
    ),
    ...[
      '/status',
      '/dead',
      '/audit?limit=50',
      '/config/versions?limit=20',
      '/notifications/deliveries?limit=50',
      '/activations?limit=50',
      '/config',
    ].map((path) => `/admin/v1${path}`),
  ];
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
