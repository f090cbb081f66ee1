import { HELD_EVENTS_DECIDED_MAX } from '../../../base/guardLimits.ts';
import type {
  ApproveHeldEvents,
  HeldEventConditions,
  ListedHeldEvent,
} from '../../../contract/heldEvents.ts';
import type { ResponseOf } from '../../../contract/operation.ts';
import { callApi } from '../../api/client.ts';
import { type Batch, type Batches, inBatches } from '../../ui/bulk/batches.ts';
import { postToUser } from '../users/userAddress.tsx';
import type { Verb } from './heldText.ts';

/** Decisions through the Admin API. */

type Answer = ResponseOf<typeof ApproveHeldEvents>;

const call = (verb: Verb, body: object): Promise<Answer> =>
  callApi<Answer>('POST', `/held-events/${verb}`, { body });

/** @throws Error that says why the event is not decided as asked */
export async function decideOne(verb: Verb, id: string, reason: string): Promise<void> {
  const { events } = await call(verb, { ids: [id], reason });
  const error = events[0]?.error;
  if (error !== undefined) throw new Error(error);
}

/** @param titleOf names an event that could not be decided */
export const decideListed = (
  verb: Verb,
  events: readonly ListedHeldEvent[],
  reason: string,
  titleOf: (event: ListedHeldEvent) => string,
): Batches =>
  inBatches(events, HELD_EVENTS_DECIDED_MAX, async (batch) => {
    const answer = await call(verb, { ids: batch.map(({ id }) => id), reason });
    const titles = new Map(batch.map((event) => [event.id, titleOf(event)]));
    const decided = new Set(answer.events.filter(({ error }) => error === undefined).map(({ id }) => id));
    const takeBacks = batch
      .filter((event) => verb === 'approve' && decided.has(event.id) && event.value > 0)
      .map((event) => ({ title: titleOf(event), work: (why: string) => undo(event, why) }));
    return { ...batchOf(answer, titles), takeBacks };
  });

/** Undoes an approved event, with its points and achievements. */
const undo = ({ userId, id }: ListedHeldEvent, reason: string): Promise<unknown> =>
  postToUser(userId, `/events/${id}/undo`, { reason, points: true, achievements: true });

/** All events that match. */
export async function* decideMatching(
  verb: Verb,
  filter: HeldEventConditions & { until: string },
  reason: string,
): Batches {
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const answer = await call(verb, { filter, reason, ...(cursor && { cursor }) });
    yield batchOf(answer, new Map());
    cursor = answer.cursor ?? null;
  }
}

function batchOf({ events }: Answer, titles: ReadonlyMap<string, string>): Batch {
  const refused = events.flatMap(({ id, error }) =>
    error === undefined ? [] : [{ title: titles.get(id) ?? id, reason: error }],
  );
  return { done: events.length - refused.length, refused };
}
