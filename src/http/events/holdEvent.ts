import { ServiceError } from '../../base/errors.ts';
import type { EventRequest } from '../../contract/event.ts';
import type { CallRefusal } from '../../contract/refusal.ts';
import {
  type HeldEventRow,
  insertHeldEvent,
  isHeldEvent,
  lockWaitingEvents,
  UNDECIDED,
} from '../../db/history/heldEventRows.ts';
import { transaction } from '../../db/pool.ts';
import { STORE_FAULT, unavailable } from '../../engine/availability/storeFaults.ts';
import { reportHeldEvent } from '../../engine/heldEvents/heldEvent.ts';
import type { StoredHold } from '../../engine/heldEvents/holdStores.ts';
import type { Outcome } from '../../redis/decoding/outcome.ts';
import { newEventId, replayedEventId } from '../../rules/inForce/eventIds.ts';
import type { PreparedEvent } from '../../rules/inForce/prepare.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import type { Service } from '../request/service.ts';

/** Events of a user that wait for a review. */
const HELD_EVENTS_PER_USER_MAX = 100;

type Held = Extract<Outcome, { status: 'held' }>;

/**
 * Stores an event that a guard holds, before it is answered. An event with a key is stored once: if this
 * process ends before, the repeated event is stored.
 * @returns the id of the event
 * @throws ServiceError `unavailable`; `invalid` if too many events of the user wait for a review
 */
export async function holdEvent(
  { pool, holds, metrics, log }: Pick<Service, 'pool' | 'holds' | 'metrics' | 'log'>,
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
    attributes: Object.fromEntries(
      Object.entries(request.attributes ?? {}).map(([key, value]) => [key, String(value)]),
    ),
    happenedAt: new Date(Math.min(event.timestamp ?? now, now)),
    guard,
    heldAt: new Date(now),
    ...UNDECIDED,
  };
  const store = (): Promise<StoredHold> =>
    transaction(pool, async (client): Promise<StoredHold> => {
      await lockWaitingEvents(client, rules.tenant, event.userId);
      const fingerprint = event.fingerprint || null;
      if (await insertHeldEvent(client, rules.tenant, row, fingerprint, HELD_EVENTS_PER_USER_MAX)) {
        await reportHeldEvent(client, rules, row, now);
        return 'new';
      }
      return (await isHeldEvent(client, rules.tenant, eventId)) ? 'known' : 'tooMany';
    }).catch((error) => {
      log.warn({ error: error.message }, 'a held event cannot be stored');
      throw unavailable(STORE_FAULT.postgresAway);
    });
  const stored = await holds.run(eventId, store);
  if (stored !== 'known' && guard !== null) {
    const action = stored === 'new' ? 'hold' : 'refuse';
    metrics.guardedEvents.inc({ metric: event.metric.key, guard, action });
  }
  if (stored === 'tooMany') throw tooManyWait(event, guard);
  return eventId;
}

function tooManyWait({ metric }: PreparedEvent, guard: Held['guard']): ServiceError {
  const details: CallRefusal = { code: 'guard', ...(guard !== null && { guard }) };
  const message = `The event is refused by a guard of the metric ${metric.key}: too many events of the user wait for a review`;
  return new ServiceError('invalid', message, undefined, details);
}
