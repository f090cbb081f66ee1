import type { Clock } from '../../src/base/clock.ts';
import type { Log } from '../../src/base/log.ts';
import { dropOldDeliveries } from '../../src/db/deliveries/deliveryRetention.ts';
import { dropOldEvents, readKeptMonths } from '../../src/db/dropOldEvents.ts';
import type { Pool } from '../../src/db/pool.ts';
import type { Schedule } from './schedules.ts';

/** Drops months of raw events that are older than the installation keeps them, once a day. */
export function retentionSchedule(pool: Pool, clock: Clock, log: Log): Schedule {
  return {
    name: 'retention',
    pattern: '17 3 * * *',
    run: async (signal) => {
      const keepMonths = await readKeptMonths(pool);
      if (keepMonths === null) return;
      const months = await dropOldEvents(pool, { keepMonths, now: clock.now(), signal });
      if (months.length > 0) log.info({ months }, 'dropped old raw events');
    },
  };
}

/** Drops days of the delivery logs that are older than the logs are kept, once a day. */
export function deliveryRetentionSchedule(pool: Pool, clock: Clock, log: Log): Schedule {
  return {
    name: 'delivery retention',
    pattern: '23 3 * * *',
    run: async (signal) => {
      const days = await dropOldDeliveries(pool, clock.now(), signal);
      if (days.length > 0) log.info({ days }, 'dropped old deliveries');
    },
  };
}
