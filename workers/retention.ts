import type { Clock } from '../src/base/clock.ts';
import type { Log } from '../src/base/log.ts';
import type { Pool } from '../src/db/pool.ts';
import { dropOldEvents } from '../src/db/retention.ts';
import type { Schedule } from './schedules.ts';

/** Every day whatever has become older than it is kept goes; nearly always that is nothing, once a month a month. */
export function retentionSchedule(pool: Pool, clock: Clock, log: Log, keepMonths: number): Schedule {
  return {
    name: 'retention',
    pattern: '17 3 * * *',
    run: async (signal) => {
      const months = await dropOldEvents(pool, { keepMonths, now: clock.now(), signal });
      if (months.length > 0) log.info({ months }, 'dropped raw events that are older than they are kept');
    },
  };
}
