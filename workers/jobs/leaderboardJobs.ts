import type { Clock } from '../../src/base/clock.ts';
import { type DueLeaderboard, listDueLeaderboards } from '../../src/db/configuration/dueLeaderboards.ts';
import { mustBeRestored } from '../../src/engine/availability.ts';
import {
  advanceLeaderboard,
  type LeaderboardDependencies,
} from '../../src/engine/leaderboards/leaderboardLife.ts';
import type { Stores } from '../../src/engine/stores.ts';
import type { Jobs, Work } from './jobs.ts';
import type { Schedule } from './schedules.ts';
import type { YieldingPace } from './yieldingPace.ts';

const QUEUE = 'leaderboards';
const JOB = 'advance';
/** Leaderboards that one worker process advances at once. */
const CONCURRENCY = 2;
/** Longest time that an event of the last moment may still be on its way to Redis. */
const IN_FLIGHT_MS_MAX = 5_000;

/**
 * Creates a job for every due leaderboard of every tenant. PostgreSQL holds the due times, and the id of the
 * job is derived from the leaderboard, so a lost or failed job is created again and no job is duplicated.
 * Creates none while Redis waits to be restored.
 */
export function leaderboardSchedule(stores: Stores, clock: Clock, jobs: Jobs): Schedule {
  return {
    name: 'leaderboards',
    pattern: '*/2 * * * * *',
    run: async () => {
      if (await mustBeRestored(stores)) return;
      const due = await listDueLeaderboards(stores.pool, clock.now() - IN_FLIGHT_MS_MAX);
      const opts = { removeOnComplete: true, removeOnFail: true };
      await jobs.queue(QUEUE).addBulk(
        due.map((data) => ({
          name: JOB,
          data,
          opts: { ...opts, jobId: `leaderboard-${data.tenant}-${data.leaderboard}` },
        })),
      );
    },
  };
}

/** Advances a due leaderboard (advanceLeaderboard). */
export function leaderboardWork(
  deps: LeaderboardDependencies,
  pace: YieldingPace,
  clock: Clock,
): Work<DueLeaderboard> {
  return {
    queue: QUEUE,
    names: [JOB],
    concurrency: CONCURRENCY,
    run: ({ data }, signal) =>
      pace.run(signal, (at) => advanceLeaderboard(deps, data, clock.now() - IN_FLIGHT_MS_MAX, at)),
  };
}
