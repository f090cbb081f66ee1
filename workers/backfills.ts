import type { Clock } from '../src/base/clock.ts';
import type { Pool } from '../src/db/pool.ts';
import { backfillFigures } from '../src/engine/backfill.ts';
import type { Schedule } from './schedules.ts';

/** Counts what happened before the roll-ups were kept; nearly always there is nothing. */
export function backfillSchedule(pool: Pool, clock: Clock): Schedule {
  return {
    name: 'backfill',
    pattern: '* * * * *',
    run: async (signal) => {
      await backfillFigures(pool, clock.now(), signal);
    },
  };
}
