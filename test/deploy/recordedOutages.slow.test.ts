import type { Pool } from 'pg';
import { expect, test } from 'vitest';
import { OUTAGES_MAX } from '../../src/base/healthLimits.ts';
import { createLog } from '../../src/base/log.ts';
import { readCells } from '../../src/db/installation.ts';
import { recordOutages } from '../../src/db/outageRows.ts';
import { createPool } from '../../src/db/pool.ts';
import { HealthWatch } from '../../workers/healthWatch.ts';
import { configureRedis } from '../support/redisData.ts';
import { useServer } from '../support/useServer.ts';

/** What workers record of the health. Looks are made at given instants of the machine. */
const silent = createLog('test', 'silent');
const START = Date.parse('2026-03-01T12:00:00Z');
const SECOND = 1_000;
const at = (seconds: number): number => START + seconds * SECOND;

const server = useServer({ serverEach: true });

async function newWatch(over: { pool?: Pool } = {}): Promise<HealthWatch> {
  const { redis, pool } = server;
  const cells = (await readCells(pool))!;
  return new HealthWatch({ redis, pool: over.pool ?? pool, cells, clock: server.clock });
}
/** Looks every 20 seconds. */
async function look(watches: HealthWatch[], from: number, to: number): Promise<void> {
  for (let second = from; second <= to; second += 20)
    for (const watch of watches) await watch.look(at(second));
}
const listed = async (): Promise<unknown> => (await server.call('GET', '/admin/v1/outages')).body;
const instant = (seconds: number): string => new Date(at(seconds)).toISOString();

/** Redis takes no writes during the work. */
async function failRedis(work: () => Promise<void>): Promise<void> {
  await configureRedis(server.redis, 'maxmemory', '1');
  await work();
  await configureRedis(server.redis, 'maxmemory', '0');
}

test('an outage of Redis of more than a minute is recorded once, whichever workers see it', async () => {
  const watches = [await newWatch(), await newWatch()];
  await look(watches, 0, 0);
  await failRedis(() => look(watches, 20, 100));
  await look(watches, 120, 200);
  expect(await listed()).toEqual([{ cause: 'redis', began: instant(20), ended: instant(100), seconds: 80 }]);
});

test('shorter trouble is not recorded', async () => {
  const watch = await newWatch();
  await failRedis(() => look([watch], 0, 60));
  await look([watch], 80, 160);
  expect(await listed()).toEqual([]);
});

test('an outage of PostgreSQL is recorded when it is back', async () => {
  const away = createPool('postgres://nobody@127.0.0.1:1/none', silent);
  let current = away;
  const switching = {
    query: (...args: [string]) => current.query(...args),
    connect: () => current.connect(),
  };
  const watch = await newWatch({ pool: switching as Pool });
  await look([watch], 0, 80);
  current = server.pool;
  await look([watch], 100, 120);
  expect(await listed()).toEqual([{ cause: 'postgres', began: instant(0), ended: instant(80), seconds: 80 }]);
  await away.end();
});

test('a time in which no worker looked is an outage of the workers', async () => {
  await look([await newWatch()], 0, 40);
  await look([await newWatch()], 640, 660);
  expect(await listed()).toEqual([
    { cause: 'workers', began: instant(40), ended: instant(640), seconds: 600 },
  ]);
});

test('a dead entry is shown as lasting until it is gone', async () => {
  await server.pool.query(
    `insert into dead_entries (tenant, cell, entry_id, reason, fields, died_at) values (1, 0, '1-1', 'unknown', '{}', $1)`,
    [new Date(START)],
  );
  const watch = await newWatch();
  const now = Date.now();
  await watch.look(now - 70 * SECOND);
  await watch.look(now - 20 * SECOND);
  await watch.look(now);
  expect(await listed()).toEqual([
    { cause: 'deadEntries', began: new Date(now - 70 * SECOND).toISOString(), ended: null, seconds: 70 },
  ]);
});

test('the latest outages are kept', async () => {
  for (let i = 0; i <= OUTAGES_MAX; i++) {
    const [began, seen] = [at(1_000 * i), at(1_000 * i + 100)];
    await recordOutages(server.pool, { since: START, at: seen }, [{ cause: 'redis', began, seen }]);
  }
  const all = (await listed()) as { began: string }[];
  expect([all.length, all[0]!.began]).toEqual([OUTAGES_MAX, instant(1_000 * OUTAGES_MAX)]);
});

test('outages are those of the account', async () => {
  const headers = { 'X-API-KEY': 'wrong' };
  expect((await server.call('GET', '/admin/v1/outages', undefined, headers)).status).toBe(401);
});
