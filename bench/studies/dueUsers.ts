import { setTimeout as sleep } from 'node:timers/promises';
import { allCells, type Cells } from '../../src/base/cells.ts';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import { createLog } from '../../src/base/log.ts';
import type { FileSystem } from '../../src/contract/configured/configFile.ts';
import { createPool } from '../../src/db/pool.ts';
import { keys } from '../../src/redis/keys/redisKeys.ts';
import type { Config } from '../../src/rules/config.ts';
import type { Bench, Child } from '../bench.ts';
import { readBenchConfig } from '../benchConfig.ts';
import { prepareService } from './prepare.ts';
import { CELLS, createRecorder, type Recorder } from './recorder.ts';

const HOUR_MS = 3_600_000;
const POLL_MS = 100;
const USERS_AT_ONCE = 50_000;

/** Every hour it awards points. No leaderboard ranks it. */
const ENERGY: FileSystem = {
  key: 'energy',
  name: 'Energy',
  maxPoints: 1_000,
  triggers: [{ type: 'time', timeUnit: 'hours', timeInterval: 1, points: 1 }],
};

/**
 * Prepares the stores with points of every hour, as of the previous hour. Users who are recorded are due
 * since its end.
 */
export async function recordInPreviousHour(bench: Bench, cells: Cells = CELLS): Promise<Recorder> {
  const clock: Clock = { now: () => Math.floor(systemClock.now() / HOUR_MS) * HOUR_MS - HOUR_MS / 2 };
  return createRecorder(bench.redisUrl, await configure(bench, clock, cells), clock, cells);
}

async function configure({ databaseUrl, redisUrl }: Bench, { now }: Clock, cells: Cells): Promise<Config> {
  const pool = createPool(databaseUrl, createLog('bench', 'warn'));
  const file = await readBenchConfig();
  // Time triggers fire from their creation on.
  const withEnergy = { ...file, points: [...(file.points ?? []), ENERGY] };
  const config = await prepareService(pool, redisUrl, withEnergy, now(), cells);
  await pool.end();
  return config;
}

/** Records an event of each of `count` users, without their history. */
export async function recordUsers(
  bench: Bench,
  { record }: Recorder,
  first: number,
  count: number,
): Promise<void> {
  for (let from = 0; from < count; from += USERS_AT_ONCE) {
    await record(Math.min(USERS_AT_ONCE, count - from), (i) => ({ user: first + from + i, key: null }));
    await bench.dropOutbox();
  }
}

/** Starts a worker that sees no due user until these are moved back, so that its start is not measured. */
export async function startBeforeDue(bench: Bench, settings: NodeJS.ProcessEnv = {}): Promise<Child> {
  await moveDue(bench, 'aside');
  return bench.start('worker', [], settings);
}

export async function moveDue({ redis }: Bench, direction: 'aside' | 'back'): Promise<void> {
  for (const cell of allCells(CELLS)) {
    const names = [keys.due(cell), `${keys.due(cell)}:aside`];
    const [from, to] = direction === 'aside' ? names : names.reverse();
    if (await redis.exists(from!)) await redis.rename(from!, to!);
  }
}

export async function whenNobodyIsDue({ redis }: Bench): Promise<void> {
  const until = Math.floor(systemClock.now() / 1_000);
  for (;;) {
    const counts = await Promise.all(
      allCells(CELLS).map((cell) => redis.zcount(keys.due(cell), '-inf', until)),
    );
    if (counts.every((count) => count === 0)) return;
    await sleep(POLL_MS);
  }
}

export async function whenRelayed(bench: Bench): Promise<void> {
  while ((await bench.lag()).entries > 0) await sleep(POLL_MS);
}
