import type { Metrics } from '../../base/metrics.ts';
import type { EventRequest } from '../../contract/event.ts';
import type { Metric } from '../../rules/config.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { eventRefusal } from './eventRefusals.ts';
import type { EventByAdmin, LateEvents } from './lateEvents.ts';

/**
 * Records an event of an administrator once, and counts it in `/metrics`.
 * @throws ServiceError if the rules refuse the event
 */
export async function recordByAdmin(
  { lateEvents, metrics }: { lateEvents: LateEvents; metrics: Metrics },
  rules: Rules,
  metric: Metric,
  request: EventRequest,
  byAdmin: EventByAdmin,
): Promise<void> {
  const outcome = await lateEvents.recordByAdmin(rules, metric.key, request, byAdmin);
  if (outcome.status === 'recorded') metrics.recordedEvents.inc();
  else if (outcome.status !== 'replayed')
    throw eventRefusal(outcome, { userId: request.user.id, metric }, rules, 'backend', metrics);
}
