import type { Clock } from '../../src/base/clock.ts';
import type { Log } from '../../src/base/log.ts';
import { dropOldDeliveries } from '../../src/db/deliveries/deliveryRetention.ts';
import { dropOldDays } from '../../src/db/dropOldDays.ts';
import { dropOldEvents } from '../../src/db/dropOldEvents.ts';
import { readKeptMonths } from '../../src/db/keptMonths.ts';
import type { Pool } from '../../src/db/pool.ts';
import type { Schedule } from './schedules.ts';

/**
 * Drops raw events, days on leaderboards and periods of streaks that are older than the installation keeps
 * them, once a day.
 */
export function retentionSchedule(pool: Pool, clock: Clock, log: Log): Schedule {
  return {
    name: 'retention',
    pattern: '17 3 * * *',
    run: async (signal) => {
      const now = clock.now();
      const eventMonths = await readKeptMonths(pool, 'events');
      if (eventMonths !== null) {
        const months = await dropOldEvents(pool, { keepMonths: eventMonths, now, signal });
        if (months.length > 0) log.info({ months }, 'dropped old raw events');
      }
      for (const kept of ['ranks', 'streaks'] as const) {
        const keepMonths = await readKeptMonths(pool, kept);
        if (keepMonths === null) continue;
        const rows = await dropOldDays(pool, kept, { keepMonths, now, signal });
        if (rows > 0) log.info({ rows }, `dropped old ${kept}`);
      }
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
