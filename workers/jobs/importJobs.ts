import { listWaitingImports } from '../../src/db/imports/importRows.ts';
import type { Pool } from '../../src/db/pool.ts';
import type { ImportDependencies } from '../../src/engine/imports/importDependencies.ts';
import { runImport } from '../../src/engine/imports/runImport.ts';
import type { Jobs, Work } from './jobs.ts';
import type { Schedule } from './schedules.ts';
import type { YieldingPace } from './yieldingPace.ts';

const QUEUE = 'imports';
const JOB = 'import';

/** Creates a job for every import that is to be gone on with. PostgreSQL holds the state. */
export function importSchedule({ pool }: { pool: Pool }, jobs: Jobs): Schedule {
  return {
    name: 'imports',
    pattern: '*/2 * * * * *',
    run: async () => {
      const opts = { removeOnComplete: true, removeOnFail: true };
      const waiting = await listWaitingImports(pool);
      await jobs.queue(QUEUE).addBulk(
        waiting.map(({ tenant, id }) => ({
          name: JOB,
          data: { tenant, id },
          opts: { ...opts, jobId: `import-${id}` },
        })),
      );
    },
  };
}

/** Applies an import (runImport). */
export function importWork(
  deps: ImportDependencies,
  pace: YieldingPace,
): Work<{ tenant: number; id: string }> {
  return {
    queue: QUEUE,
    names: [JOB],
    concurrency: 1,
    run: ({ data }, signal) => pace.run(signal, (itsPace) => runImport(deps, data, itsPace)),
  };
}
