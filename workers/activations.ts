import { listDueActivations } from '../src/db/activations.ts';
import { type ActivationParts, runActivation } from '../src/engine/runActivation.ts';
import type { Jobs, Work } from './jobs.ts';
import type { Schedule } from './schedules.ts';

const QUEUE = 'activations';

/**
 * Makes a job of every activation that is due and in force. What is to be done stands in PostgreSQL, and the id of a job follows from
 * it: a job that was lost or has failed is made again, and none is made twice.
 */
export function activationSchedule({ pool, clock }: Pick<ActivationParts, 'pool' | 'clock'>, jobs: Jobs): Schedule {
  return {
    name: 'activations',
    pattern: '*/2 * * * * *',
    run: async () => {
      const ids = await listDueActivations(pool, clock.now());
      const opts = { removeOnComplete: true, removeOnFail: true };
      await jobs
        .queue(QUEUE)
        .addBulk(ids.map((id) => ({ name: 'activate', data: { id }, opts: { ...opts, jobId: `activation-${id}` } })));
    },
  };
}

/** Carries out an activation (runActivation). */
export function activationWork(parts: ActivationParts): Work<{ id: string }> {
  return { queue: QUEUE, concurrency: 1, run: ({ data }, signal) => runActivation(parts, data.id, signal) };
}
