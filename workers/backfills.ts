import type { Clock } from '../src/base/clock.ts';
import type { Pool } from '../src/db/pool.ts';
import { backfillFigures } from '../src/engine/backfill.ts';
import type { Schedule } from './schedules.ts';

/** Counts the history from before the roll-ups existed. There is work only after an upgrade. */
export function backfillSchedule(pool: Pool, clock: Clock): Schedule {
  return {
    name: 'backfill',
    pattern: '* * * * *',
    run: async (signal) => {
      await backfillFigures(pool, clock.now(), signal);
    },
  };
}
