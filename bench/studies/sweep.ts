import { monotonicMs } from '../../src/base/clock.ts';
import type { Bench } from '../bench.ts';
import type { LoadResult } from '../load/wrk.ts';
import { median } from '../median.ts';
import type { Print } from '../report/report.ts';
import type { Measurements } from '../report/results.ts';
import type { Study } from '../study.ts';
import { startCpuMeter } from '../usage/cpuMeter.ts';
import {
  moveDue,
  recordInPreviousHour,
  recordUsers,
  startBeforeDue,
  whenNobodyIsDue,
  whenRelayed,
} from './dueUsers.ts';
import { loadEvents } from './loadEvents.ts';

const USERS = Number(process.env.BENCH_USERS ?? 1_000_000);
/** Few enough connections that the server is not saturated. */
const CONNECTIONS = 16;

export const sweep: Study = {
  name: 'sweep',
  measures:
    'a worker that settles a million users who got points in the same hour, alone and beside full events',
  isDefault: false,
  measure: measureSweep,
};

/** Measures a worker that settles users with points of an hour: alone, and others beside full events. */
async function measureSweep(bench: Bench, print: Print): Promise<Measurements> {
  const recorder = await recordInPreviousHour(bench);
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
