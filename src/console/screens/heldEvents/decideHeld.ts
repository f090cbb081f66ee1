import { HELD_EVENTS_DECIDED_MAX } from '../../../base/guardLimits.ts';
import type {
  ApproveHeldEvents,
  HeldEventConditions,
  ListedHeldEvent,
} from '../../../contract/heldEvents.ts';
import type { ResponseOf } from '../../../contract/operation.ts';
import { callApi } from '../../api/client.ts';
import { type Batch, type Batches, inBatches } from '../../ui/bulk/batches.ts';
import type { Verb } from './heldText.ts';

/** Decisions through the Admin API. */

type Answer = ResponseOf<typeof ApproveHeldEvents>;

const call = (verb: Verb | 'undo', body: object): Promise<Answer> =>
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
    return batchOf(verb, answer, new Map(batch.map((event) => [event.id, titleOf(event)])));
  });

/** All events that match. */
export async function* decideMatching(
  verb: Verb,
  filter: HeldEventConditions & { until: string },
  reason: string,
): Batches {
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const answer = await call(verb, { filter, reason, ...(cursor && { cursor }) });
    yield batchOf(verb, answer);
    cursor = answer.cursor ?? null;
  }
}

/** Undoes approved events. */
export const undoApproved = (ids: readonly string[], body: { reason: string } & object): Batches =>
  inBatches(ids, HELD_EVENTS_DECIDED_MAX, async (some) =>
    batchOf('undo', await call('undo', { ids: some, ...body })),
  );

function batchOf(verb: Verb | 'undo', { events }: Answer, titles = new Map<string, string>()): Batch {
  const refused = events.flatMap(({ id, error }) =>
    error === undefined ? [] : [{ title: titles.get(id) ?? id, reason: error }],
  );
  const done = events.flatMap(({ id, error }) => (error === undefined ? [id] : []));
  return { done: done.length, refused, undoable: verb === 'approve' ? done : [] };
}
