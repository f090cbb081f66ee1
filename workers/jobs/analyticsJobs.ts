import { recountCohorts } from '../../src/db/analytics/cohorts.ts';
import type { Pool } from '../../src/db/pool.ts';
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
