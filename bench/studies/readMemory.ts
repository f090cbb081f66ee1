import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { cellOf } from '../../src/base/cells.ts';
import { systemClock } from '../../src/base/clock.ts';
import { createLog } from '../../src/base/log.ts';
import { DEFAULT_TENANT } from '../../src/db/configuration/loadConfig.ts';
import { createPool } from '../../src/db/pool.ts';
import { keys } from '../../src/redis/keys/redisKeys.ts';
import { beginSharedTime } from '../../src/redis/state/sharedClock.ts';
import { DAY_MS } from '../../src/rules/calendar.ts';
import type { Bench, Child } from '../bench.ts';
import { readBenchConfig } from '../benchConfig.ts';
import type { Print } from '../report/report.ts';
import type { Measurements } from '../report/results.ts';
import { dailySummary } from '../scenarios/requests.ts';
import type { Study } from '../study.ts';
import { prepareService } from './prepare.ts';
import { CELLS } from './recorder.ts';

const USERS = 1_000;
const DAYS = 10;
const BEGIN_MS = Date.parse('2026-03-02T12:00:00Z');
const READS_AT_ONCE = 16;
const POLL_MS = 100;

export const readMemory: Study = {
  name: 'read-memory',
  measures: 'bytes of Redis of users who have an event a day: whom nobody reads, and who are read daily',
  isDefault: true,
  measure: measureReadMemory,
};

/** Users have an event on each of ten days. After it, the users of one half are read. */
async function measureReadMemory(bench: Bench, print: Print): Promise<Measurements> {
  const pool = createPool(bench.databaseUrl, createLog('bench', 'warn'));
  await prepareService(pool, bench.redisUrl, await readBenchConfig(), BEGIN_MS);
  await pool.end();
  await beginSharedTime(bench.redis, BEGIN_MS, systemClock.now());
  const settings = { NODE_ENV: 'test', LAUREL_TEST_CLOCK: '1' };
  const server = await bench.start('server', [], settings);
  const worker = await bench.start('worker', [], settings);
  const [unread, read] = ['unread', 'read'].map((group) =>
    Array.from({ length: USERS }, (_, i) => `${group}-${i}`),
  ) as [string[], string[]];
  for (let day = 1; day <= DAYS; day++) {
    const now = BEGIN_MS + day * DAY_MS;
    const clock = { now: new Date(now).toISOString(), stopped: true };
    await call(bench, server, 'POST', '/admin/v1/test-clock', clock);
    for (const users of [unread, read]) {
      const events = users.map((id) => ({ key: 'lessons', user: { id, tz: 'Europe/London' }, value: 1 }));
      await call(bench, server, 'POST', '/admin/v1/metrics/events', events);
    }
    while ((await bench.lag()).entries > 0) await sleep(POLL_MS);
    await readFirstScreens(bench, server, read, now);
  }
  const of = async (users: string[], key: typeof keys.user): Promise<number> =>
    (await Promise.all(users.map((id) => usage(bench.redis, key, id)))).reduce((a, b) => a + b, 0) / USERS;
  const state_bytes = await of(unread, keys.user);
  const readState_bytes = await of(read, keys.user);
  const kept_bytes = await of(read, keys.history);
  const unreadKept_bytes = await of(unread, keys.history);
  await Promise.all([server.stop(), worker.stop()]);
  print(
    `A user with an event on each of ${DAYS} days takes ${state_bytes.toFixed(0)} bytes of state and ${unreadKept_bytes.toFixed(0)} of history if nobody reads the user, and ${readState_bytes.toFixed(0)} and ${kept_bytes.toFixed(0)} if the first screen is read daily.\n`,
  );
  return { state_bytes, readState_bytes, kept_bytes };
}

async function call(
  { apiKey }: Bench,
  { url }: Child,
  method: string,
  path: string,
  body?: object,
): Promise<void> {
  const response = await fetch(url + path, {
    method,
    headers: { 'X-API-KEY': apiKey, 'Content-Type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status}: ${text}`);
}

/** The summary in its default form and the days of a metric. */
async function readFirstScreens(
  bench: Bench,
  server: Child,
  users: readonly string[],
  now: number,
): Promise<void> {
  const paths = ['/summary', dailySummary(now)];
  const left = users.flatMap((id) => paths.map((path) => `/v1/users/${id}${path}`));
  const readNext = async (): Promise<void> => {
    for (let path = left.pop(); path !== undefined; path = left.pop()) await call(bench, server, 'GET', path);
  };
  await Promise.all(Array.from({ length: READS_AT_ONCE }, readNext));
}

async function usage(redis: Redis, key: typeof keys.user, id: string): Promise<number> {
  return (await redis.memory('USAGE', key(DEFAULT_TENANT, cellOf(DEFAULT_TENANT, id, CELLS), id))) ?? 0;
}
