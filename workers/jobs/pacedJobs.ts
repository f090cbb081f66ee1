import type { JobsOptions } from 'bullmq';
import { allCells, type Cells } from '../../src/base/cells.ts';
import type { AdjustableClock, Clock } from '../../src/base/clock.ts';
import type { Log } from '../../src/base/log.ts';
import type { Tracing } from '../../src/base/spans.ts';
import { listDueActivations } from '../../src/db/configuration/activations.ts';
import { type DueLeaderboard, listDueLeaderboards } from '../../src/db/configuration/dueLeaderboards.ts';
import { listWaitingImports } from '../../src/db/imports/importRows.ts';
import type { Pool } from '../../src/db/pool.ts';
import { type ActivationDependencies, runActivation } from '../../src/engine/activations/runActivation.ts';
import type { History } from '../../src/engine/availability/historyReads.ts';
import type { Pace } from '../../src/engine/availability/pace.ts';
import type { Engine } from '../../src/engine/engine.ts';
import type { Approvals } from '../../src/engine/heldEvents/approvals.ts';
import { runImport } from '../../src/engine/imports/runImport.ts';
import { advanceLeaderboard } from '../../src/engine/leaderboards/leaderboardLife.ts';
import { mustBeRestored } from '../../src/engine/stores/availability.ts';
import type { KeepKeysDependencies } from '../../src/engine/usedKeys/keepKeys.ts';
import type { TenantDays } from '../relay/tenantDays.ts';
import type { DeliveryJobs } from './deliveryJobs.ts';
import { type JobKind, type Jobs, once, type Work } from './jobs.ts';
import type { YieldingPace } from './yieldingPace.ts';

export type WorkContext = Engine &
  KeepKeysDependencies & {
    pool: Pool;
    clock: AdjustableClock;
    log: Log;
    tracing: Tracing | null;
    heldEventsDays: number;
    approvals: Approvals;
    history: History;
    days: TenantDays;
    jobs: Jobs;
    deliveryJobs: DeliveryJobs;
  };

/** Jobs that give way to events (YieldingPace). A schedule creates one for everything that is due. */
export interface PacedJobs<T, C = WorkContext> extends JobKind<T> {
  concurrency: number;
  /** What is due. The stores hold it, so a lost or failed job is created again. */
  find(context: C): Promise<T[]>;
  run(context: C, data: T, pace: Pace): Promise<void>;
}

interface OfCell {
  cell: number;
}

/** A cell never has two waiting jobs of a kind. */
const onceForCell = ({ cell }: OfCell): JobsOptions => ({ deduplication: { id: `cell-${cell}` } });

export const SWEEP: PacedJobs<OfCell> = {
  queue: 'sweep',
  name: 'cell',
  options: onceForCell,
  // The cells may be on different nodes. While Redis settles one, the worker prepares the call for another.
  concurrency: 4,
  find: ({ sweep, clock, cells }) => inCellsThatAnswer(cells, (cell) => sweep.findDue([cell], clock.now())),
  run: ({ sweep, clock }, { cell }, pace) => sweep.settleDue([cell], clock.now(), pace),
};

/** Applies new rules to all users of a cell. Such a job may take long, so it has a queue of its own. */
export const REVIEW: PacedJobs<OfCell> = {
  queue: 'review',
  name: 'cell',
  options: onceForCell,
  concurrency: 1,
  find: ({ sweep, cells }) => inCellsThatAnswer(cells, (cell) => sweep.findMarked([cell])),
  run: ({ sweep }, { cell }, pace) => sweep.review([cell], pace),
};

export const ACTIVATIONS: PacedJobs<{ id: string }, ActivationDependencies> = {
  queue: 'activations',
  name: 'activate',
  options: ({ id }) => once(`activation-${id}`),
  concurrency: 1,
  find: async ({ pool, clock }) => (await listDueActivations(pool, clock.now())).map((id) => ({ id })),
  run: (context, { id }, pace) => runActivation(context, id, pace),
};

export const IMPORTS: PacedJobs<{ tenant: number; id: string }> = {
  queue: 'imports',
  name: 'import',
  options: ({ id }) => once(`import-${id}`),
  concurrency: 1,
  find: async ({ pool }) => (await listWaitingImports(pool)).map(({ tenant, id }) => ({ tenant, id })),
  run: runImport,
};

/** Longest time that an event of the last moment may still be on its way to Redis. */
const IN_FLIGHT_MS_MAX = 5_000;
const allInRedis = (clock: Clock): number => clock.now() - IN_FLIGHT_MS_MAX;

export const LEADERBOARDS: PacedJobs<DueLeaderboard> = {
  queue: 'leaderboards',
  name: 'advance',
  options: ({ tenant, leaderboard }) => once(`leaderboard-${tenant}-${leaderboard}`),
  concurrency: 2,
  find: async (context) =>
    (await mustBeRestored(context)) ? [] : listDueLeaderboards(context.pool, allInRedis(context.clock)),
  run: (context, due, pace) => advanceLeaderboard(context, due, allInRedis(context.clock), pace),
};

export const PACED_JOBS: readonly PacedJobs<unknown>[] = [SWEEP, REVIEW, ACTIVATIONS, IMPORTS, LEADERBOARDS];

/** Creates the jobs of a kind that are due now. */
export async function createDue<T, C>(kind: PacedJobs<T, C>, context: C & { jobs: Jobs }): Promise<void> {
  await context.jobs.add(kind, await kind.find(context));
}

/** The work of a kind, at the pace of the process. */
export const pacedWork = <T, C>(kind: PacedJobs<T, C>, context: C, pace: YieldingPace): Work<T> => ({
  queue: kind.queue,
  names: [kind.name],
  concurrency: kind.concurrency,
  run: ({ data }, signal) => pace.run(signal, (itsPace) => kind.run(context, data, itsPace)),
});

/**
 * What is found in the cells that answer: if a node of a cluster fails, the other cells are not affected.
 * @throws the error of the first cell if none answers
 */
async function inCellsThatAnswer(cells: Cells, find: (cell: number) => Promise<number[]>): Promise<OfCell[]> {
  const results = await Promise.allSettled(allCells(cells).map(find));
  const found = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const [first] = results;
  if (found.length === 0 && first?.status === 'rejected') throw first.reason;
  return found.flat().map((cell) => ({ cell }));
}
