import type { Clock } from '../../src/base/clock.ts';
import { recountCohorts } from '../../src/db/figures/cohorts.ts';
import type { Pool } from '../../src/db/pool.ts';
import { backfillFigures } from '../../src/engine/backfill.ts';
import { TenantDays } from '../relay/tenantDays.ts';
import type { Schedule } from './schedules.ts';

/** Adds changes of users to the counts of cohorts. */
export function cohortSchedule(pool: Pool): Schedule {
  const days = new TenantDays(pool);
  return {
    name: 'cohorts',
    pattern: '*/20 * * * * *',
    run: async (signal) => {
      await recountCohorts(pool, (tenants) => days.load(tenants), signal);
    },
  };
}

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
