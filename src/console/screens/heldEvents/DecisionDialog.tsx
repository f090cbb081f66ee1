import type { ComponentChildren } from 'preact';
import type { HeldEventConditions, ListedHeldEvent } from '../../../contract/heldEvents.ts';
import { useApi } from '../../api/useApi.ts';
import { rich } from '../../text/richText.ts';
import { plural, t } from '../../text/translate.ts';
import { type BulkChange, BulkDialog } from '../../ui/bulk/BulkDialog.tsx';
import type { Batches } from '../../ui/bulk/batches.ts';
import { Dialog } from '../../ui/Dialog.tsx';
import { Loading } from '../../ui/Loading.tsx';
import { ReasonDialog } from '../../ui/ReasonForm.tsx';
import { TAKES_BACK, takenBack, UNCHANGED } from '../users/undoEvent.tsx';
import { decideListed, decideMatching, decideOne, undoApproved } from './decideHeld.ts';
import { titleOf, VERBS, type Verb, whoOf } from './heldText.ts';

/** The events of a decision: these, or all that match. */
export type HeldChoice = { events: readonly ListedHeldEvent[] } | { filter: HeldEventConditions };

interface DecisionProps {
  verb: Verb;
  chosen: HeldChoice;
  /** The name of a metric. */
  nameOf(metric: string): string;
  onClose(): void;
}

/** Shows the events of the decision, and asks for the reason. */
export function DecisionDialog({ verb, chosen, nameOf, onClose }: DecisionProps) {
  if ('filter' in chosen) return <AllDialog filter={chosen.filter} {...{ verb, nameOf, onClose }} />;
  const { events } = chosen;
  const [first] = events;
  if (events.length === 1 && first)
    return <OneDialog event={first} {...{ verb, onClose }} metric={nameOf(first.metric)} />;
  const users = new Set(events.map(({ userId }) => userId)).size;
  const begin = (reason: string): Batches =>
    decideListed(verb, events, reason, (event) => titleOf(event, nameOf(event.metric)));
  return <ManyDialog {...{ verb, users, begin, onClose }} events={events.length} />;
}

interface ManyProps extends Pick<DecisionProps, 'verb' | 'onClose'> {
  /** Numbers of events and of their users. */
  events: number;
  users: number;
  begin(reason: string): Batches;
  /** What else is known of the events. */
  children?: ComponentChildren;
}

const OF_EVENTS: Pick<BulkChange, 'none' | 'counted' | 'progress'> = {
  none: t('There is no event to change.'),
  counted: (n) => plural(n, '{n} event', '{n} events'),
  progress: (changed, n) =>
    plural(n, '{changed} of {n} event done', '{changed} of {n} events done', { changed }),
};

/** Undoes the events that a run has approved. */
const undo = (ids: readonly string[]): BulkChange => ({
  ...OF_EVENTS,
  label: plural(ids.length, 'Undo {n} event', 'Undo {n} events'),
  done: t('Undone.'),
  effect: (
    <p>
      {t('Totals and scores in open runs fall by the value of each event.')} {UNCHANGED}
    </p>
  ),
  fields: TAKES_BACK,
  initial: { takesBack: 'all' },
  total: () => ids.length,
  begin: (reason, fields) => undoApproved(ids, { reason, ...takenBack(fields) }),
});

function ManyDialog({ verb, events, users, begin, children, onClose }: ManyProps) {
  const { many, effectOfEach, done } = VERBS[verb];
  return (
    <BulkDialog
      of={{
        label: many(events),
        ...OF_EVENTS,
        done,
        effect: (
          <>
            <p>
              {plural(users, 'From {n} user.', 'From {n} users.')} {effectOfEach}
            </p>
            <p>
              {verb === 'reject'
                ? t('A rejection cannot be taken back.')
                : t('When the run is over, you can undo the approved events.')}
            </p>
            {children}
          </>
        ),
        total: () => events,
        begin,
        undo,
      }}
      onClose={onClose}
    />
  );
}

interface OneProps extends Pick<DecisionProps, 'verb' | 'onClose'> {
  event: ListedHeldEvent;
  /** Name of its metric. */
  metric: string;
}

function OneDialog({ verb, event, metric, onClose }: OneProps) {
  const { one, effect, done } = VERBS[verb];
  return (
    <ReasonDialog
      of={{
        label: one,
        effect: (
          <p>
            {rich(t('{metric} {value} of {user}.'), {
              metric,
              value: event.value,
              user: <strong>{whoOf(event)}</strong>,
            })}{' '}
            {effect}
          </p>
        ),
        done,
        work: (reason) => decideOne(verb, event.id, reason),
      }}
      onClose={onClose}
    />
  );
}

/** The same with a summary of all that match. Events that are held later are not affected. */
function AllDialog({
  verb,
  filter,
  nameOf,
  onClose,
}: Omit<DecisionProps, 'chosen'> & { filter: HeldEventConditions }) {
  const summary = useApi('/held-events/summary', { ...filter }, { isFresh: true });
  if (!summary.data?.until)
    return (
      <Dialog title={VERBS[verb].all} onClose={onClose}>
        <Loading of={summary}>{() => <p>{t('No matching events.')}</p>}</Loading>
      </Dialog>
    );
  const { events, users, metrics, until } = summary.data;
  const begin = (reason: string): Batches => decideMatching(verb, { ...filter, until }, reason);
  return (
    <ManyDialog {...{ verb, events, users, begin, onClose }}>
      <ul>
        {metrics.map(({ metric, events: number, sum, lowest, highest }) => (
          <li key={metric}>
            {plural(
              number,
              '{metric}: {n} event from {lowest} to {highest}, {sum} in total',
              '{metric}: {n} events from {lowest} to {highest}, {sum} in total',
              { metric: nameOf(metric), lowest, highest, sum },
            )}
          </li>
        ))}
      </ul>
    </ManyDialog>
  );
}
