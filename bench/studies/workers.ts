import { monotonicMs } from '../../src/base/clock.ts';
import type { Bench } from '../bench.ts';
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
import { CELLS } from './recorder.ts';

const USERS = Number(process.env.BENCH_USERS ?? 100_000);
const WORKERS = [1, 2, 4];
const SPREAD = 12;

export const workers: Study = {
  name: 'workers',
  measures: `1, 2 and 4 workers that settle 100,000 users of one tenant, spread over ${SPREAD} cells: CPU of each`,
  isDefault: false,
  measure: measureWorkers,
};

/** Measures how workers share the settling and the relay of one tenant. Each number has users of its own. */
async function measureWorkers(bench: Bench, print: Print): Promise<Measurements> {
  const recorder = await recordInPreviousHour(bench, { ...CELLS, spread: SPREAD });
  print(
    `One tenant of ${USERS} users in ${SPREAD} cells of one Redis, whose users are settled at one instant and have their history written.\n`,
  );
  print('| workers | seconds | CPU µs a user of each worker |\n|---:|---:|---|');
  const seconds: number[] = [];
  for (const [round, count] of WORKERS.entries()) {
    await recordUsers(bench, recorder, round * USERS, USERS);
    const measured = await settleAll(bench, count);
    seconds.push(measured.seconds);
    const shares = measured.cpu_us.map((us) => us.toFixed(1)).join(', ');
    print(`| ${count} | ${measured.seconds.toFixed(1)} | ${shares} |`);
  }
  print('');
  recorder.redis.disconnect();
  return Object.fromEntries(WORKERS.map((count, i) => [`seconds${count}`, seconds[i]!]));
}

async function settleAll(bench: Bench, count: number): Promise<{ seconds: number; cpu_us: number[] }> {
  const started = [await startBeforeDue(bench)];
  while (started.length < count) started.push(await bench.start('worker'));
  const cpuSince = startCpuMeter(Object.fromEntries(started.map(({ pid }, i) => [i, pid])));
  const startMs = monotonicMs();
  await moveDue(bench, 'back');
  await whenNobodyIsDue(bench);
  await whenRelayed(bench);
  const seconds = (monotonicMs() - startMs) / 1_000;
  const cpu_us = Object.values(cpuSince(USERS));
  await Promise.all(started.map((worker) => worker.stop()));
  return { seconds, cpu_us };
}
