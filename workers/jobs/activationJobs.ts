import type { Clock } from '../../src/base/clock.ts';
import { listDueActivations } from '../../src/db/configuration/activations.ts';
import { type ActivationDependencies, runActivation } from '../../src/engine/configuration/runActivation.ts';
import { requestRefills } from '../../src/engine/leaderboards/refills.ts';
import type { Stores } from '../../src/engine/stores.ts';
import type { Jobs, Work } from './jobs.ts';
import type { Schedule } from './schedules.ts';
import type { YieldingPace } from './yieldingPace.ts';

const QUEUE = 'activations';
const JOB = 'activate';

/**
 * Requests activations that fill leaderboards, and creates a job for every due activation. PostgreSQL holds
 * the state, and the id of the job is derived from the activation, so a lost or failed job is created again
 * and no job is duplicated.
 */
export function activationSchedule({ pool, redis, cells }: Stores, clock: Clock, jobs: Jobs): Schedule {
  return {
    name: 'activations',
    pattern: '*/2 * * * * *',
    run: async () => {
      await requestRefills({ pool, redis, cells }, clock.now());
      const ids = await listDueActivations(pool, clock.now());
      const opts = { removeOnComplete: true, removeOnFail: true };
      await jobs
        .queue(QUEUE)
        .addBulk(
          ids.map((id) => ({ name: JOB, data: { id }, opts: { ...opts, jobId: `activation-${id}` } })),
        );
    },
  };
}

/** Carries out an activation (runActivation). */
export function activationWork(deps: ActivationDependencies, pace: YieldingPace): Work<{ id: string }> {
  return {
    queue: QUEUE,
    names: [JOB],
    concurrency: 1,
    run: ({ data }, signal) => pace.run(signal, (itsPace) => runActivation(deps, data.id, itsPace)),
  };
}
