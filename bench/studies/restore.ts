import { monotonicMs, systemClock } from '../../src/base/clock.ts';
import { createLog } from '../../src/base/log.ts';
import { restore } from '../../src/commands/restore/restore.ts';
import { createPool } from '../../src/db/pool.ts';
import { foldRelayedStates } from '../../src/engine/recovery/foldSnapshots.ts';
import { Relay } from '../../workers/relay/relay.ts';
import type { Bench } from '../bench.ts';
import type { Print } from '../report/report.ts';
import type { Measurements } from '../report/results.ts';
import type { Study } from '../study.ts';
import { startCpuMeter } from '../usage/cpuMeter.ts';
import { prepareStores } from './prepare.ts';
import { CELLS, createRecorder } from './recorder.ts';

const USERS = Number(process.env.BENCH_USERS ?? 100_000);
const EVENTS_PER_USER = Number(process.env.BENCH_USER_EVENTS ?? 10);

export const restoreUsers: Study = {
  name: 'restore',
  measures: '`npm run restore` of 100,000 users with 10 events and idempotency keys each',
  isDefault: false,
  measure: measureRestore,
};

/** Fills both empty stores with users and their events, then empties Redis and restores it. */
async function measureRestore({ redisUrl, databaseUrl, pids }: Bench, print: Print): Promise<Measurements> {
  const log = createLog('bench', 'warn');
  const pool = createPool(databaseUrl, log);
  const config = await prepareStores(pool, redisUrl);
  const { redis, record } = await createRecorder(redisUrl, config);
  const relay = new Relay({ pool, redis, clock: systemClock, log, cells: CELLS });
  for (let round = 0; round < EVENTS_PER_USER; round++) {
    // The schedule does this every minute. States of the last round are left to the restore.
    await foldRelayedStates(pool, { wait: true });
    await record(USERS, (user) => ({ user, key: `key-${round}` }));
    while ((await relay.runOnce()) > 0);
  }
  await relay.stop();
  await redis.flushall();

  const progress = { begin: () => {}, advance: () => {}, end: () => {} };
  const cpuSince = startCpuMeter(pids);
  const ownBefore = process.cpuUsage();
  const startMs = monotonicMs();
  const restored = await restore({
    pool,
    redis,
    progress,
    now: systemClock.now(),
    replace: false,
    testClock: false,
  });
  const seconds = (monotonicMs() - startMs) / 1_000;
  // The stores are processes of this one, so the meter would add them.
  const own = process.cpuUsage(ownBefore);
  const restoreCpu_us = (own.user + own.system) / USERS;
  const { redis: redisCpu_us, postgres: postgresCpu_us } = cpuSince(USERS);
  redis.disconnect();
  await pool.end();
  const { users } = restored;
  print(
    `Restore: events are accepted again after ${seconds.toFixed(1)} s, with ${users} users. Of CPU, a user cost ${restoreCpu_us.toFixed(0)} µs of the command, ${redisCpu_us.toFixed(0)} µs of Redis and ${postgresCpu_us.toFixed(0)} µs of PostgreSQL.\n`,
  );
  if (users !== USERS) throw new Error('the restore is incomplete');
  return { users, seconds, restoreCpu_us, redisCpu_us, postgresCpu_us };
}
