import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs, systemClock } from '../../src/base/clock.ts';
import { createLog } from '../../src/base/log.ts';
import type { ConfigFile } from '../../src/contract/configured/configFile.ts';
import { createPool } from '../../src/db/pool.ts';
import { beginSharedTime } from '../../src/redis/state/sharedClock.ts';
import type { Bench } from '../bench.ts';
import type { Print } from '../report/report.ts';
import type { Measurements } from '../report/results.ts';
import type { Study } from '../study.ts';
import { countCommands } from '../usage/usage.ts';
import { recordUsers } from './dueUsers.ts';
import { prepareService } from './prepare.ts';
import { createRecorder } from './recorder.ts';

const USERS = Number(process.env.BENCH_USERS ?? 1_000_000);
const SPAN_MS = 20_000;
const MIDNIGHT_MS = Date.parse('2026-03-05T00:00:00Z');
/** The worker starts and comes to rest in the rest of this time before midnight. */
const STARTED_MS = MIDNIGHT_MS - 2 * SPAN_MS;
const EVENING_MS = MIDNIGHT_MS - 3_600_000;

/** Nothing else that ends with a day. */
const CONFIG: ConfigFile = {
  metrics: [{ key: 'lessons', name: 'Lessons' }],
  challenges: [
    {
      key: 'daily',
      name: 'Daily quest',
      start: '2026-01-05',
      runUnit: 'day',
      runInterval: 1,
      goals: [{ key: 'two', name: 'Two lessons', metric: 'lessons', target: 2 }],
    },
  ],
};

export const midnight: Study = {
  name: 'midnight',
  measures: 'commands of Redis around midnight, when a million users have progress in a challenge of the day',
  isDefault: false,
  measure: measureMidnight,
};

async function measureMidnight(bench: Bench, print: Print): Promise<Measurements> {
  await recordProgress(bench);
  const startMs = monotonicMs();
  await beginSharedTime(bench.redis, STARTED_MS, systemClock.now());
  const worker = await bench.start('worker', [], { NODE_ENV: 'test', LAUREL_TEST_CLOCK: '1' });
  const commandsUntil = async (instant: number): Promise<number> => {
    await sleep(Math.max(0, instant - STARTED_MS - (monotonicMs() - startMs)));
    return countCommands(await bench.redis.info('commandstats'));
  };
  const counts: number[] = [];
  for (let span = -1; span <= 2; span++) counts.push(await commandsUntil(MIDNIGHT_MS + span * SPAN_MS));
  await worker.stop();
  const [before, after, later] = counts.slice(1).map((count, i) => count - counts[i]!) as [
    number,
    number,
    number,
  ];
  print(
    `With ${USERS} users in a daily challenge, Redis carried out ${before} commands in the ${SPAN_MS / 1_000} s before midnight, ${after} in those after it, and ${later} in the next.\n`,
  );
  return { users: USERS, commandsBefore: before, commandsAfter: after, commandsLater: later };
}

/** An event of each user in the evening, which counts for the goal. */
async function recordProgress(bench: Bench): Promise<void> {
  const pool = createPool(bench.databaseUrl, createLog('bench', 'warn'));
  const config = await prepareService(pool, bench.redisUrl, CONFIG, EVENING_MS);
  await pool.end();
  const recorder = await createRecorder(bench.redisUrl, config, { now: () => EVENING_MS });
  await recordUsers(bench, recorder, 0, USERS);
  recorder.redis.disconnect();
}
