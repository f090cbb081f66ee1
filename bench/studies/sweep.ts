import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseConfigFile } from '../../src/admin/files/readConfigFile.ts';
import { allCells } from '../../src/base/cells.ts';
import { type Clock, monotonicMs, systemClock } from '../../src/base/clock.ts';
import { createLog } from '../../src/base/log.ts';
import { packageRoot } from '../../src/base/packageRoot.ts';
import type { FileSystem } from '../../src/contract/configFile.ts';
import { DEFAULT_TENANT, loadConfig } from '../../src/db/configuration/loadConfig.ts';
import { setOnce } from '../../src/db/installation.ts';
import { createPool } from '../../src/db/pool.ts';
import { keys } from '../../src/redis/state/redisKeys.ts';
import type { Config } from '../../src/rules/config.ts';
import type { Bench } from '../bench.ts';
import type { LoadResult } from '../load/wrk.ts';
import { median } from '../median.ts';
import type { Print } from '../report/report.ts';
import type { Measurements } from '../report/results.ts';
import type { Study } from '../study.ts';
import { startCpuMeter } from '../usage/cpuMeter.ts';
import { moveDue, recordUsers, startBeforeDue } from './dueUsers.ts';
import { loadEvents } from './loadEvents.ts';
import { prepareStores } from './prepare.ts';
import { CELLS, createRecorder } from './recorder.ts';

const USERS = Number(process.env.BENCH_USERS ?? 1_000_000);
const HOUR_MS = 3_600_000;
const POLL_MS = 100;
/** Few enough connections that the server is not saturated. */
const CONNECTIONS = 16;

export const sweep: Study = {
  name: 'sweep',
  measures:
    'a worker that settles a million users who got points in the same hour, alone and beside full events',
  isDefault: false,
  measure: measureSweep,
};

/** Every hour it awards points. No leaderboard ranks it. */
const ENERGY: FileSystem = {
  key: 'energy',
  name: 'Energy',
  maxPoints: 1_000,
  triggers: [{ type: 'time', timeUnit: 'hours', timeInterval: 1, points: 1 }],
};

/** Measures a worker that settles users with points of an hour: alone, and others beside full events. */
async function measureSweep(bench: Bench, print: Print): Promise<Measurements> {
  // The configuration is made and all users are recorded in the previous hour. Its end makes them due.
  const hourBefore: Clock = { now: () => Math.floor(systemClock.now() / HOUR_MS) * HOUR_MS - HOUR_MS / 2 };
  const recorder = await createRecorder(bench.redisUrl, await configure(bench, hourBefore), hourBefore);
  await recordUsers(bench, recorder, 0, USERS);
  const alone = await sweepAlone(bench, print);
  await recordUsers(bench, recorder, USERS, USERS);
  recorder.redis.disconnect();
  return { users: USERS, ...alone, ...(await sweepBesideEvents(bench, print)) };
}

async function sweepAlone(bench: Bench, print: Print): Promise<Measurements> {
  const worker = await startBeforeDue(bench);
  const cpuSince = startCpuMeter({ ...bench.pids, worker: worker.pid });
  const startMs = monotonicMs();
  await moveDue(bench, 'back');
  await whenNobodyIsDue(bench);
  const seconds = (monotonicMs() - startMs) / 1_000;
  await whenRelayed(bench);
  const { redis: redisCpu_us, worker: workerCpu_us, postgres: postgresCpu_us } = cpuSince(USERS);
  await worker.stop();
  print(
    `A worker settled ${USERS} users in ${seconds.toFixed(1)} s while nothing else happened, ${Math.round(USERS / seconds)} users/s. Of CPU, a user cost ${redisCpu_us.toFixed(0)} µs of Redis, ${workerCpu_us.toFixed(0)} µs of the worker and ${postgresCpu_us.toFixed(0)} µs of PostgreSQL, with the history.\n`,
  );
  return { secondsAlone: seconds, redisCpu_us, workerCpu_us, postgresCpu_us };
}

async function sweepBesideEvents(bench: Bench, print: Print): Promise<Measurements> {
  const server = await bench.start('server');
  const startMs = monotonicMs();
  const worker = await bench.start('worker');
  const during: LoadResult[] = [];
  const sweeping = whenNobodyIsDue(bench).then(() => (monotonicMs() - startMs) / 1_000);
  let isOver = false;
  void sweeping.then(() => {
    isOver = true;
  });
  while (!isOver) during.push(await loadEvents(bench, server, CONNECTIONS));
  const seconds = await sweeping;
  await whenRelayed(bench);
  const without: LoadResult[] = [];
  for (let i = 0; i < Math.max(during.length, 3); i++)
    without.push(await loadEvents(bench, server, CONNECTIONS));
  await Promise.all([server.stop(), worker.stop()]);
  const [beside, alone] = [median(during, p99), median(without, p99)];
  report(seconds, beside, alone, print);
  return { secondsBeside: seconds, latencyBeside_ms_p99: p99(beside), latencyAlone_ms_p99: p99(alone) };
}

const p99 = ({ latency_ms_p99 }: LoadResult): number => latency_ms_p99;

function report(seconds: number, during: LoadResult, without: LoadResult, print: Print): void {
  print(
    `Full events of ${CONNECTIONS} connections, beside a worker that settles ${USERS} users and without it:\n`,
  );
  print('| full event | requests/s | p50 ms | p99 ms |\n|---|---:|---:|---:|');
  for (const [what, result] of [
    ['beside the sweep', during],
    ['without', without],
  ] as const) {
    const { sent, seconds: length, latency_ms_p50: p50, latency_ms_p99 } = result;
    print(
      `| ${what} | ${Math.round(sent[0]! / length)} | ${p50.toFixed(1)} | ${latency_ms_p99.toFixed(1)} |`,
    );
  }
  const perSecond = Math.round(USERS / seconds);
  print(
    `\nBeside the events the worker settled ${USERS} users in ${seconds.toFixed(1)} s, ${perSecond} users/s. The p99 of events was ${(p99(during) / p99(without)).toFixed(1)} times the p99 without it.\n`,
  );
}

async function configure({ databaseUrl, redisUrl }: Bench, { now }: Clock): Promise<Config> {
  const pool = createPool(databaseUrl, createLog('bench', 'warn'));
  const text = await readFile(join(packageRoot(), 'bench', 'config.yaml'), 'utf8');
  const file = parseConfigFile(text, 'bench/config.yaml');
  // Time triggers fire from their creation on.
  const withEnergy = JSON.stringify({ ...file, points: [...(file.points ?? []), ENERGY] });
  await prepareStores(pool, redisUrl, withEnergy, now());
  await setOnce(pool, 'configured', 'bench');
  const config = await loadConfig(pool, DEFAULT_TENANT);
  await pool.end();
  return config;
}

async function whenRelayed(bench: Bench): Promise<void> {
  while ((await bench.lag()).entries > 0) await sleep(POLL_MS);
}

async function whenNobodyIsDue({ redis }: Bench): Promise<void> {
  const until = Math.floor(systemClock.now() / 1_000);
  for (;;) {
    const counts = await Promise.all(
      allCells(CELLS).map((cell) => redis.zcount(keys.due(cell), '-inf', until)),
    );
    if (counts.every((count) => count === 0)) return;
    await sleep(POLL_MS);
  }
}
