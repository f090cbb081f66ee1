import { HELD_EVENTS_DECIDED_MAX } from '../../../base/guardLimits.ts';
import type { ApproveHeldEvents, HeldEventConditions } from '../../../contract/heldEvents.ts';
import type { ResponseOf } from '../../../contract/operation.ts';
import { ADMIN, callApi } from '../../api/client.ts';
import { count, formatNumber } from '../../format.ts';

export type Verb = 'approve' | 'reject';
/** Events by their ids, or all that wait and match. */
export type Which = { ids: readonly string[] } | { filter: HeldEventConditions };

type Answer = ResponseOf<typeof ApproveHeldEvents>;

/**
 * Decides on events, however many calls that takes.
 * @throws Error that says how many are not decided, and why the first of them is not
 */
export async function decideHeld(verb: Verb, which: Which, reason: unknown): Promise<void> {
  const call = (body: object): Promise<Answer> =>
    callApi<Answer>('POST', `${ADMIN}/held-events/${verb}`, { body: { ...body, reason } });
  const undecided: string[] = [];
  let all = 0;
  const note = ({ events }: Answer): void => {
    all += events.length;
    undecided.push(...events.flatMap(({ error }) => error ?? []));
  };
  if ('ids' in which) {
    for (let at = 0; at < which.ids.length; at += HELD_EVENTS_DECIDED_MAX)
      note(await call({ ids: which.ids.slice(at, at + HELD_EVENTS_DECIDED_MAX) }));
  } else {
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const answer = await call({ ...which, ...(cursor && { cursor }) });
      note(answer);
      cursor = answer.cursor ?? null;
    }
  }
  const [first] = undecided;
  if (first !== undefined && all === 1) throw new Error(first);
  if (first !== undefined)
    throw new Error(`${formatNumber(undecided.length)} of ${count(all, 'event')} are as before: ${first}`);
}
