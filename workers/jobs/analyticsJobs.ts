import type { Clock } from '../../src/base/clock.ts';
import { findAnomalies } from '../../src/db/analytics/anomalyRows.ts';
import { recountCohorts } from '../../src/db/analytics/cohorts.ts';
import type { Pool } from '../../src/db/pool.ts';
import { TenantDays } from '../relay/tenantDays.ts';
import type { Schedule } from './schedules.ts';

/** Finds conspicuous days of users, once they have ended in every time zone. */
export function anomalySchedule(pool: Pool, clock: Clock): Schedule {
  return {
    name: 'anomalies',
    pattern: '7 * * * *',
    run: async (signal) => {
      await findAnomalies(pool, clock.now(), signal);
    },
  };
}

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
