import type { ComponentChildren } from 'preact';
import { HELD_EVENTS_DECIDED_MAX } from '../../../base/guardLimits.ts';
import type {
  ApproveHeldEvents,
  HeldEventConditions,
  ListedHeldEvent,
} from '../../../contract/heldEvents.ts';
import type { ResponseOf } from '../../../contract/operation.ts';
import { callApi } from '../../api/client.ts';
import { useApi } from '../../api/useApi.ts';
import { count, formatNumber } from '../../text/format.ts';
import { Dialog } from '../../ui/Dialog.tsx';
import { Loading } from '../../ui/Loading.tsx';
import { ReasonDialog } from '../../ui/ReasonForm.tsx';

export type Verb = 'approve' | 'reject';

/** The events of a decision: these, or all that match. */
export type HeldChoice = { events: readonly ListedHeldEvent[] } | { filter: HeldEventConditions };

export const TEXTS = {
  approve: {
    title: 'Approve',
    text: 'counts at its own time, without guards.',
    done: 'Approved.',
  },
  reject: { title: 'Reject', text: 'changes nothing.', done: 'Rejected.' },
};

/** Events by their ids, or all that are waiting and match. */
type Which = { ids: readonly string[] } | { filter: HeldEventConditions };

interface DecisionProps {
  verb: Verb;
  chosen: HeldChoice;
  /** The name of a metric. */
  nameOf(metric: string): string;
  onClose(): void;
}

/** Shows the events of the decision, and asks for the reason. */
export function DecisionDialog({ verb, chosen, nameOf, onClose }: DecisionProps) {
  const { title, text, done } = TEXTS[verb];
  const ask = (what: string, effect: ComponentChildren, which: Which) => (
    <ReasonDialog
      of={{ label: `${title} ${what}`, effect, done, work: (reason) => decideHeld(verb, which, reason) }}
      onClose={onClose}
    />
  );
  if ('filter' in chosen) return <AllDialog filter={chosen.filter} {...{ verb, nameOf, ask, onClose }} />;
  const { events } = chosen;
  const which = { ids: events.map(({ id }) => id) };
  const [first] = events;
  if (events.length > 1 || first === undefined) {
    const users = new Set(events.map(({ userId }) => userId)).size;
    return ask(
      count(events.length, 'event'),
      <p>
        From {count(users, 'user')}. Each event {text}
      </p>,
      which,
    );
  }
  return ask(
    'the event',
    <p>
      {nameOf(first.metric)} {formatNumber(first.value)} of <strong>{first.userName ?? first.userId}</strong>.
      The event {text}
    </p>,
    which,
  );
}

interface AllProps extends Omit<DecisionProps, 'chosen'> {
  filter: HeldEventConditions;
  ask(what: string, effect: ComponentChildren, which: Which): ComponentChildren;
}

/** The same with a summary of all that match. Events that are held later are not affected. */
function AllDialog({ verb, filter, nameOf, ask, onClose }: AllProps) {
  const summary = useApi('/held-events/summary', { ...filter }, { isFresh: true });
  if (!summary.data?.until)
    return (
      <Dialog title={`${TEXTS[verb].title} all`} onClose={onClose}>
        <Loading of={summary}>{() => <p>No matching events.</p>}</Loading>
      </Dialog>
    );
  const { events, users, metrics, until } = summary.data;
  return ask(
    count(events, 'event'),
    <>
      <p>
        From {count(users, 'user')}. Each event {TEXTS[verb].text}
      </p>
      <ul>
        {metrics.map(({ metric, events, sum, lowest, highest }) => (
          <li key={metric}>
            {nameOf(metric)}: {count(events, 'event')} from {formatNumber(lowest)} to {formatNumber(highest)},{' '}
            {formatNumber(sum)} in total
          </li>
        ))}
      </ul>
    </>,
    { filter: { ...filter, until } },
  );
}

type Answer = ResponseOf<typeof ApproveHeldEvents>;

/**
 * Decides on events in as many calls as needed.
 * @throws Error with the number of undecided events and the reason of the first
 */
async function decideHeld(verb: Verb, which: Which, reason: unknown): Promise<void> {
  const call = (body: object): Promise<Answer> =>
    callApi<Answer>('POST', `/held-events/${verb}`, { body: { ...body, reason } });
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
    throw new Error(`${formatNumber(undecided.length)} of ${count(all, 'event')} failed: ${first}`);
}
