import type { EventRequest } from '../../contract/event.ts';
import { type HeldEventRow, insertHeldEvent, UNDECIDED } from '../../db/history/heldEventRows.ts';
import { transaction } from '../../db/pool.ts';
import { reportHeldEvent } from '../../engine/heldEvents/reportHeldEvent.ts';
import { STORE_FAULT, unavailable } from '../../engine/storeFaults.ts';
import type { Outcome } from '../../redis/scripts/outcome.ts';
import { newEventId, type PreparedEvent, replayedEventId } from '../../rules/prepare.ts';
import type { Rules } from '../../rules/rules.ts';
import type { Service } from '../request/service.ts';

type Held = Extract<Outcome, { status: 'held' }>;

/**
 * Stores an event that a guard holds, before it is answered. An event with a key is stored once: if this
 * process ends before, the repeated event is stored.
 * @returns the id of the event
 * @throws ServiceError `unavailable`
 */
export async function holdEvent(
  { pool, metrics, log }: Pick<Service, 'pool' | 'metrics' | 'log'>,
  rules: Rules,
  { guard, usedAt }: Held,
  event: PreparedEvent,
  request: Pick<EventRequest, 'attributes'>,
  now: number,
): Promise<string> {
  const eventId = guard === null ? replayedEventId(event, usedAt) : newEventId(rules, event, now);
  const row: HeldEventRow = {
    eventId,
    userId: event.userId,
    metric: event.metric.no,
    value: event.value,
    attributes: (request.attributes ?? {}) as Record<string, string>,
    happenedAt: new Date(Math.min(event.timestamp ?? now, now)),
    guard,
    heldAt: new Date(now),
    ...UNDECIDED,
  };
  const isNew = await transaction(pool, async (client) => {
    const isStored = await insertHeldEvent(client, rules.tenant, row, event.fingerprint || null);
    if (isStored) await reportHeldEvent(client, rules, row, now);
    return isStored;
  }).catch((error) => {
    log.warn({ error: error.message }, 'a held event cannot be stored');
    throw unavailable(STORE_FAULT.postgresAway);
  });
  if (isNew && guard !== null) metrics.guardedEvents.inc({ metric: event.metric.key, guard, action: 'hold' });
  return eventId;
}
