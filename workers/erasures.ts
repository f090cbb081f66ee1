import type { Log } from '../src/base/log.ts';
import { listErasures } from '../src/db/erasures.ts';
import { carryOutErasure, type ErasureParts } from '../src/engine/erasures.ts';
import type { Schedule } from './schedules.ts';

/** When the relay is further behind, the next run goes on. */
const ERASURE_WAIT_MS_MAX = 10_000;

/** Servers erase users while the caller waits; this finishes what they could not. */
export function erasureSchedule(parts: ErasureParts, log: Log): Schedule {
  return {
    name: 'erasures',
    pattern: '*/5 * * * * *',
    run: async (signal) => {
      for (const user of await listErasures(parts.pool)) {
        if (signal.aborted) return;
        // One that cannot be finished now does not keep the others waiting.
        await carryOutErasure(parts, user, ERASURE_WAIT_MS_MAX).catch((error) =>
          log.warn({ tenant: user.tenant, error: error.message }, 'an erasure has to wait'),
        );
      }
    },
  };
}
