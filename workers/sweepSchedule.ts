import type { Clock } from '../src/base/clock.ts';
import { allShards } from '../src/base/shards.ts';
import type { Sweep } from '../src/engine/sweep.ts';
import type { Jobs, Work } from './jobs.ts';
import type { Schedule } from './schedules.ts';

/** Name of the jobs of both queues. */
const JOB = 'shard';
/** Queue of jobs that settle the due users of a shard. */
const SWEEP = 'sweep';
/** Queue of jobs that apply new rules to all users of a shard. A separate queue, because these jobs may take long. */
const REVIEW = 'review';
/** Shards that one worker process sweeps at once. */
const SWEEPS_AT_ONCE = 2;
/**
 * All users may become due at the same hour. Calls are short, and each sweep pauses for three quarters of the time, so that servers are
 * not slowed down. A million users then take minutes.
 */
const PACE = { usersPerCall: 25, rest: 3 };

interface OfShard {
  shard: number;
}

/** Settles the users who are due in a shard. */
export function sweepWork(sweep: Sweep, clock: Clock): Work<OfShard> {
  return {
    queue: SWEEP,
    names: [JOB],
    concurrency: SWEEPS_AT_ONCE,
    run: ({ data: { shard } }, signal) => sweep.settleDue([shard], clock.now(), { ...PACE, signal }),
  };
}

/** Applies new rules to the users of a shard. */
export function reviewWork(sweep: Sweep): Work<OfShard> {
  return {
    queue: REVIEW,
    names: [JOB],
    concurrency: 1,
    run: ({ data: { shard } }, signal) => sweep.review([shard], { ...PACE, signal }),
  };
}

/** Every two seconds creates a job for each shard with due users, unless it has one. The workers share the jobs. */
export function sweepSchedule(jobs: Jobs, sweep: Sweep, clock: Clock, shards: number): Schedule {
  const add = async (queue: string, found: number[]): Promise<void> => {
    await jobs.queue(queue).addBulk(
      found.map((shard) => ({
        name: JOB,
        data: { shard },
        opts: { deduplication: { id: `shard-${shard}` } },
      })),
    );
  };
  const all = allShards(shards);
  return {
    name: 'sweep',
    pattern: '*/2 * * * * *',
    run: async () => {
      await add(SWEEP, await sweep.findDue(all, clock.now()));
      await add(REVIEW, await sweep.findMarked(all));
    },
  };
}
