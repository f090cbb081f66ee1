import type { Clock } from '../src/base/clock.ts';
import { allShards } from '../src/base/shards.ts';
import type { Sweep } from '../src/engine/sweep.ts';
import type { Jobs, Work } from './jobs.ts';
import type { Schedule } from './schedules.ts';

/** Jobs that settle whoever is due in a shard. */
const SWEEP = 'sweep';
/** Jobs that have new rules look at everybody in a shard: of their own, because they may take long. */
const REVIEW = 'review';
/** Shards that one worker sweeps at once. */
const SWEEPS_AT_ONCE = 2;
/**
 * The hour may bring something to everybody at once. Servers come first: calls are short, and each sweep rests for three quarters of
 * the time, so a million users are a matter of minutes.
 */
const PACE = { usersPerCall: 25, rest: 3 };

interface OfShard {
  shard: number;
}

/** Settles the users who are due in a shard. */
export function sweepWork(sweep: Sweep, clock: Clock): Work<OfShard> {
  return {
    queue: SWEEP,
    concurrency: SWEEPS_AT_ONCE,
    run: ({ data: { shard } }, signal) => sweep.settleDue([shard], clock.now(), { ...PACE, signal }),
  };
}

/** Has new rules look at the users of a shard. */
export function reviewWork(sweep: Sweep): Work<OfShard> {
  return {
    queue: REVIEW,
    concurrency: 1,
    run: ({ data: { shard } }, signal) => sweep.review([shard], { ...PACE, signal }),
  };
}

/** Every two seconds makes a job of each shard in which somebody is due, unless it has one; the workers share them. */
export function sweepSchedule(jobs: Jobs, sweep: Sweep, clock: Clock, shards: number): Schedule {
  const add = async (queue: string, found: number[]): Promise<void> => {
    await jobs.queue(queue).addBulk(
      found.map((shard) => ({
        name: 'shard',
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
