import type { Log } from '../../src/base/log.ts';
import { listErasures } from '../../src/db/users/erasureRows.ts';
import { carryOutErasure, type ErasureDependencies } from '../../src/engine/users/eraseUser.ts';
import type { Schedule } from './schedules.ts';

/** Longest wait for the relay; after it, the next run continues. */
const ERASURE_WAIT_MS_MAX = 10_000;

/** Finishes erasures that a server could not finish while the caller waited. */
export function erasureSchedule(deps: ErasureDependencies, log: Log): Schedule {
  return {
    name: 'erasures',
    pattern: '*/5 * * * * *',
    run: async (signal) => {
      for (const user of await listErasures(deps.pool)) {
        if (signal.aborted) return;
        // A failed erasure does not stop the others.
        await carryOutErasure(deps, user, ERASURE_WAIT_MS_MAX).catch((error) =>
          log.warn({ tenant: user.tenant, error: error.message }, 'an erasure has to wait'),
        );
      }
    },
  };
}
