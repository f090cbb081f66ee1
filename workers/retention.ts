import type { Clock } from '../src/base/clock.ts';
import type { Log } from '../src/base/log.ts';
import { dropOldDeliveries } from '../src/db/deliveryRetention.ts';
import type { Pool } from '../src/db/pool.ts';
import { dropOldEvents } from '../src/db/retention.ts';
import type { Schedule } from './schedules.ts';

/** Every day drops the months of raw events that have become older than they are kept; on most days there is none. */
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

/** Every day drops the days of the delivery logs that have become older than they are kept. */
export function deliveryRetentionSchedule(pool: Pool, clock: Clock, log: Log): Schedule {
  return {
    name: 'delivery retention',
    pattern: '23 3 * * *',
    run: async (signal) => {
      const days = await dropOldDeliveries(pool, clock.now(), signal);
      if (days.length > 0) log.info({ days }, 'dropped deliveries that are older than they are kept');
    },
  };
}
