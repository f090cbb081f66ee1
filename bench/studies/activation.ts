import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs, systemClock } from '../../src/base/clock.ts';
import { createLog } from '../../src/base/log.ts';
import { createPool, type Pool } from '../../src/db/pool.ts';
import type { Bench } from '../bench.ts';
import { readBenchConfig } from '../benchConfig.ts';
import { httpRequests } from '../load/httpRequests.ts';
import { runOpenLoop } from '../load/openLoop.ts';
import { percentile } from '../load/percentile.ts';
import { prepareTraffic } from '../load/traffic.ts';
import type { Print } from '../report/report.ts';
import type { Measurements } from '../report/results.ts';
import { markdownTable } from '../report/tables.ts';
import { SECONDS } from '../settings.ts';
import type { Study } from '../study.ts';
import { Target } from '../target.ts';
import { createRandom, WORKLOAD } from '../workload.ts';
import { whenRelayed } from './dueUsers.ts';
import { countQualified, WEEKS, writePastYear } from './pastYear.ts';
import { prepareService } from './prepare.ts';
import { createRecorder } from './recorder.ts';

const USERS = Number(process.env.BENCH_USERS ?? 100_000);
/** Full events a second beside the activation. */
const RATE = Number(process.env.BENCH_RATE ?? 1_000);
const CONNECTIONS = 64;
const POLL_MS = 100;
/** Rounds without the activation, before it and after it. */
const ROUNDS_ALONE = 10;

const DISTANCE = { key: 'distance', name: 'Distance', valueType: 'number' as const };
const LONG = { distance: 10, times: 20 };
const ACHIEVEMENT = {
  key: 'long',
  name: 'Long',
  trigger: 'metric',
  metricValue: LONG.times,
  aggregate: 'count',
  where: { attribute: DISTANCE.key, gte: LONG.distance },
  status: 'active',
};

export const activation: Study = {
  name: 'activation',
  measures:
    'an achievement with a condition that is activated over a year of events of 100,000 users: time, and latencies of full events beside it',
  isDefault: false,
  measure: measureActivation,
};

/** Measures the same steady load of events before, beside and after an activation. */
async function measureActivation(bench: Bench, print: Print): Promise<Measurements> {
  const pool = createPool(bench.databaseUrl, createLog('bench', 'warn'));
  const worker = await prepareYear(bench, pool);
  const target = await Target.start(bench, 1);
  try {
    const load = await steadyLoad(target);
    await load(ROUNDS_ALONE);
    const alone = [await load(ROUNDS_ALONE)];
    const { rounds, seconds } = await besideActivation(target, pool, load);
    alone.push(await load(ROUNDS_ALONE));
    // Not the totals: the ledger does not know the event that each user had before.
    await assertCompleted(pool);
    return report(seconds, { alone: alone.flat(), beside: rounds }, print);
  } finally {
    await target.stop();
    await worker.stop();
    await pool.end();
  }
}

/** Users with an event each in Redis, and a year of events before it in PostgreSQL. */
async function prepareYear(bench: Bench, pool: Pool) {
  const file = { ...(await readBenchConfig()), attributes: { event: [DISTANCE] } };
  const config = await prepareService(pool, bench.redisUrl, file);
  const { redis, record } = await createRecorder(bench.redisUrl, config);
  // The configuration itself is activated before there are users.
  const worker = await bench.start('worker');
  while (!(await areActivated(pool))) await sleep(POLL_MS);
  await record(USERS, (user) => ({ user, key: null }));
  redis.disconnect();
  await whenRelayed(bench);
  await writePastYear(pool, systemClock.now());
  return worker;
}

/** Latencies of the events of a round, ms. */
type Round = Float64Array;

/** Returns a function that sends events for some rounds, at instants that are fixed beforehand. */
async function steadyLoad(target: Target): Promise<(rounds: number) => Promise<Round[]>> {
  const { directory, prefix, ledger, urls } = target;
  const random = createRandom(WORKLOAD.seed);
  // No user is as busy as the first ones of a Zipf distribution at this rate.
  const nextUser = (): number => Math.floor(random() * USERS);
  const traffic = await prepareTraffic({ directory, name: 'steady', prefix, nextUser });
  const texts = await httpRequests(traffic, target);
  const requests = RATE * SECONDS;
  return async (rounds) => {
    const done: Round[] = [];
    while (done.length < rounds) {
      const requestAt = (i: number): string => texts[i % texts.length]!;
      const options = { url: urls[0]!, requestAt, requests, rate: RATE, connections: CONNECTIONS };
      done.push((await runOpenLoop(options)).latencies_ms);
      ledger.add(traffic, [requests]);
    }
    return done;
  };
}

/** Activates the achievement, and sends events until all users are done. */
async function besideActivation(
  target: Target,
  pool: Pool,
  load: (rounds: number) => Promise<Round[]>,
): Promise<{ rounds: Round[]; seconds: number }> {
  const [metric] = (await target.call('GET', '/admin/v1/metrics')) as { id: string }[];
  const startMs = monotonicMs();
  const item = { ...ACHIEVEMENT, metricId: metric!.id };
  await target.call('POST', '/admin/v1/achievements', JSON.stringify([item]));
  const rounds: Round[] = [];
  do rounds.push(...(await load(1)));
  while (!(await areActivated(pool)));
  return { rounds, seconds: (monotonicMs() - startMs) / 1_000 };
}

/** Whether the users have been processed for all that is active. */
async function areActivated(pool: Pool): Promise<boolean> {
  const { rows } = await pool.query('select from activations where finished_at is null limit 1');
  return rows.length === 0;
}

async function assertCompleted(pool: Pool): Promise<void> {
  const { completed, qualified } = await countQualified(pool, ACHIEVEMENT.key, LONG);
  if (completed !== qualified) throw new Error(`${qualified} users qualify, ${completed} have completed it`);
}

function report(seconds: number, { alone, beside }: Record<'alone' | 'beside', Round[]>, print: Print) {
  const sorted = (rounds: Round[]): Float64Array =>
    Float64Array.from(rounds.flatMap((round) => [...round])).sort();
  const phases = { without: sorted(alone), beside: sorted(beside) };
  const rows = Object.entries(phases).map(([name, latencies]) => [
    name,
    ...[0.5, 0.9, 0.99, 1].map((share) => percentile(latencies, share).toFixed(1)),
  ]);
  const [latencyAlone_ms_p99, latencyBeside_ms_p99] = [phases.without, phases.beside].map((latencies) =>
    percentile(latencies, 0.99),
  ) as [number, number];
  print(
    `An achievement that counts the events of a condition was activated over ${WEEKS * USERS} events of ${USERS} users in ${seconds.toFixed(0)} s, beside ${RATE} full events/s with a worker. Their latencies:\n`,
  );
  print(`${markdownTable(['activation', 'p50 ms', 'p90 ms', 'p99 ms', 'max ms'], rows)}\n`);
  return { seconds, latencyAlone_ms_p99, latencyBeside_ms_p99 };
}
