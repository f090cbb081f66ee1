import { allCells, type Cells } from '../../src/base/cells.ts';
import type { Clock } from '../../src/base/clock.ts';
import type { Sweep } from '../../src/engine/users/sweep.ts';
import type { Jobs, Work } from './jobs.ts';
import type { Schedule } from './schedules.ts';
import type { YieldingPace } from './yieldingPace.ts';

/** Name of the jobs of both queues. */
const JOB = 'cell';
/** Queue of jobs that settle the due users of a cell. */
const SWEEP = 'sweep';
/**
 * Queue of jobs that apply new rules to all users of a cell. A separate queue, because these jobs may take
 * long.
 */
const REVIEW = 'review';
/**
 * Cells that one worker process sweeps at once: on a cluster they may be on different nodes, and while Redis
 * settles the users of one, the worker prepares the call for another.
 */
const SWEEPS_AT_ONCE = 4;

interface OfCell {
  cell: number;
}

/** Settles the users who are due in a cell. */
export function sweepWork(sweep: Sweep, pace: YieldingPace, clock: Clock): Work<OfCell> {
  return {
    queue: SWEEP,
    names: [JOB],
    concurrency: SWEEPS_AT_ONCE,
    run: ({ data: { cell } }, signal) =>
      pace.run(signal, (itsPace) => sweep.settleDue([cell], clock.now(), itsPace)),
  };
}

/** Applies new rules to the users of a cell. */
export function reviewWork(sweep: Sweep, pace: YieldingPace): Work<OfCell> {
  return {
    queue: REVIEW,
    names: [JOB],
    concurrency: 1,
    run: ({ data: { cell } }, signal) => pace.run(signal, (itsPace) => sweep.review([cell], itsPace)),
  };
}

/**
 * Every two seconds creates a job for each cell with due users, unless it has one. The workers share the
 * jobs.
 */
export function sweepSchedule(jobs: Jobs, sweep: Sweep, clock: Clock, cells: Cells): Schedule {
  const add = async (queue: string, found: number[]): Promise<void> => {
    await jobs.queue(queue).addBulk(
      found.map((cell) => ({
        name: JOB,
        data: { cell },
        opts: { deduplication: { id: `cell-${cell}` } },
      })),
    );
  };
  const all = allCells(cells);
  return {
    name: 'sweep',
    pattern: '*/2 * * * * *',
    run: async () => {
      const now = clock.now();
      await add(SWEEP, await inCellsThatAnswer(all, (cell) => sweep.findDue([cell], now)));
      await add(REVIEW, await inCellsThatAnswer(all, (cell) => sweep.findMarked([cell])));
    },
  };
}

/**
 * What is found in the cells that answer: if a node of a cluster is away, the cells of the others go on.
 * @throws the error of the first cell if none answers
 */
async function inCellsThatAnswer(
  cells: readonly number[],
  find: (cell: number) => Promise<number[]>,
): Promise<number[]> {
  const results = await Promise.allSettled(cells.map(find));
  const found = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const [first] = results;
  if (found.length === 0 && first?.status === 'rejected') throw first.reason;
  return found.flat();
}
