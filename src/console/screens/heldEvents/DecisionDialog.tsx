import type { ComponentChildren } from 'preact';
import type {
  HeldEventConditions,
  ListedHeldEvent,
  SummarizeHeldEvents,
} from '../../../contract/heldEvents.ts';
import type { ResponseOf } from '../../../contract/operation.ts';
import { useApi } from '../../api/useApi.ts';
import { count, formatNumber } from '../../format.ts';
import { Dialog } from '../../ui/Dialog.tsx';
import { Loading } from '../../ui/Loading.tsx';
import { ReasonDialog } from '../../ui/ReasonForm.tsx';
import { decideHeld, type Verb, type Which } from './decideHeld.ts';

type Summary = ResponseOf<typeof SummarizeHeldEvents>;
/** What is decided on: these events, or all that match. */
export type HeldChoice = { events: readonly ListedHeldEvent[] } | { filter: HeldEventConditions };

export const TEXTS = {
  approve: {
    title: 'Approve',
    text: 'counts as of its own time, and no guard applies to it.',
    done: 'Approved.',
  },
  reject: { title: 'Reject', text: 'changes nothing.', done: 'Rejected.' },
};

interface DecisionProps {
  verb: Verb;
  chosen: HeldChoice;
  /** The name of a metric. */
  nameOf(metric: string): string;
  onClose(): void;
}

/** Says what is decided on, and asks for the reason. */
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
        They are of {count(users, 'user')}. Each {text}
      </p>,
      which,
    );
  }
  return ask(
    'the event',
    <p>
      {nameOf(first.metric)} {formatNumber(first.value)} of <strong>{first.userName ?? first.userId}</strong>.
      It {text}
    </p>,
    which,
  );
}

interface AllProps extends Omit<DecisionProps, 'chosen'> {
  filter: HeldEventConditions;
  ask(what: string, effect: ComponentChildren, which: Which): ComponentChildren;
}

/** The same after a summary of all that match; events that are held later are not decided on. */
function AllDialog({ verb, filter, nameOf, ask, onClose }: AllProps) {
  const summary = useApi<Summary>('/held-events/summary', { ...filter }, { isFresh: true });
  if (!summary.data?.until)
    return (
      <Dialog title={`${TEXTS[verb].title} all`} onClose={onClose}>
        <Loading of={summary}>{() => <p>No event that waits for a review matches.</p>}</Loading>
      </Dialog>
    );
  const { events, users, metrics, until } = summary.data;
  return ask(
    count(events, 'event'),
    <>
      <p>
        They are of {count(users, 'user')}. Each {TEXTS[verb].text}
      </p>
      <ul>
        {metrics.map(({ metric, events, sum, lowest, highest }) => (
          <li key={metric}>
            {nameOf(metric)}: {count(events, 'event')} from {formatNumber(lowest)} to {formatNumber(highest)},{' '}
            {formatNumber(sum)} in all
          </li>
        ))}
      </ul>
    </>,
    { filter: { ...filter, until } },
  );
}
