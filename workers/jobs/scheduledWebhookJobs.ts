import type { Clock } from '../../src/base/clock.ts';
import type { Pool } from '../../src/db/pool.ts';
import { planScheduledWebhooks } from '../../src/engine/webhooks/planScheduledWebhooks.ts';
import type { Schedule } from './schedules.ts';

/** Reports to webhooks when boosts and runs begin or end. */
export function scheduledWebhookSchedule(pool: Pool, clock: Clock): Schedule {
  return {
    name: 'scheduled webhooks',
    pattern: '*/2 * * * * *',
    run: (signal) => planScheduledWebhooks(pool, clock.now(), signal),
  };
}
