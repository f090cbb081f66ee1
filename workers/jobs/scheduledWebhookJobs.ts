import type { Clock } from '../../src/base/clock.ts';
import {
  planScheduledWebhooks,
  type ScheduledWebhookParts,
} from '../../src/engine/webhooks/planScheduledWebhooks.ts';
import type { Schedule } from './schedules.ts';

/** Reports to webhooks when boosts and runs begin or end. */
export function scheduledWebhookSchedule(parts: ScheduledWebhookParts, clock: Clock): Schedule {
  return {
    name: 'scheduled webhooks',
    pattern: '*/2 * * * * *',
    run: (signal) => planScheduledWebhooks(parts, clock.now(), signal),
  };
}
