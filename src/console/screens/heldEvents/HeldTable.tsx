import type { HeldEventConditions, ListedHeldEvent } from '../../../contract/heldEvents.ts';
import { formatNumber } from '../../text/format.ts';
import { rich } from '../../text/richText.ts';
import { plural, t } from '../../text/translate.ts';
import { Allowed, isAllowed } from '../../ui/Allowed.tsx';
import { useSelection } from '../../ui/bulk/useSelection.ts';
import { Instant } from '../../ui/Instant.tsx';
import { type Column, Table } from '../../ui/Table.tsx';
import { UserLink } from '../users/userAddress.tsx';
import type { HeldChoice } from './DecisionDialog.tsx';
import { GUARDS, titleOf, VERBS, type Verb, whoOf } from './heldText.ts';

const BOTH = ['approve', 'reject'] as const;

const USER: Column<ListedHeldEvent> = {
  title: t('User'),
  cell: ({ userId, userName }) => (
    <>
      <UserLink id={userId} name={userName} />
      {userName !== null && <div class="soft small">{userId}</div>}
    </>
  ),
};

/** What was reported, why it is held, and when. */
function EventText({
  of: { value, guard, timestamp, heldAt },
  metric,
}: {
  of: ListedHeldEvent;
  metric: string;
}) {
  return (
    <div>
      {metric} <strong>{formatNumber(value)}</strong>
      {guard && <div class="soft small">{GUARDS[guard]}</div>}
      <div class="soft small">
        {rich(timestamp === heldAt ? '{at}' : t('{at}, sent {sent}'), {
          at: <Instant at={timestamp} />,
          sent: <Instant at={heldAt} />,
        })}
      </div>
    </div>
  );
}

interface HeldTableProps {
  events: ListedHeldEvent[];
  filter: HeldEventConditions;
  /** The name of a metric. */
  nameOf(metric: string): string;
  /** The event that is reviewed, with the timeline of its user. */
  current: ListedHeldEvent | null;
  onCurrent(event: ListedHeldEvent): void;
  onDecide(verb: Verb, chosen: HeldChoice): void;
}

/** The list, in which events are selected to be decided together. */
export function HeldTable({ events, filter, nameOf, current, onCurrent, onDecide }: HeldTableProps) {
  const title = (event: ListedHeldEvent): string => titleOf(event, nameOf(event.metric));
  const selection = useSelection(events, ({ id }) => id, title);
  const selected = selection.rows;
  return (
    <>
      <Allowed to="operate">
        <ManyButtons
          selected={selected.length}
          onClick={(verb) => {
            onDecide(verb, selected.length > 0 ? { events: selected } : { filter });
            selection.choose([]);
          }}
        />
      </Allowed>
      <Table
        label={t('Held events')}
        rows={events}
        keyOf={({ id }) => id}
        selection={isAllowed('operate') ? selection : undefined}
        isCurrent={({ id }) => id === current?.id}
        columns={[
          USER,
          {
            title: t('Event'),
            cell: (event) => <EventText of={event} metric={nameOf(event.metric)} />,
          },
          {
            title: '',
            cell: (event) => (
              <RowActions
                who={whoOf(event)}
                title={title(event)}
                isCurrent={event.id === current?.id}
                onCurrent={() => onCurrent(event)}
                onDecide={(verb) => onDecide(verb, { events: [event] })}
              />
            ),
          },
        ]}
      />
    </>
  );
}

interface RowActionsProps {
  who: string;
  /** Of the event. */
  title: string;
  /** Whether the timeline of its user is shown. */
  isCurrent: boolean;
  onCurrent(): void;
  onDecide(verb: Verb): void;
}

function RowActions({ who, title, isCurrent, onCurrent, onDecide }: RowActionsProps) {
  return (
    <span class="row end">
      <button
        type="button"
        class="quiet"
        aria-label={t('Timeline: {who}', { who })}
        aria-pressed={isCurrent}
        onClick={onCurrent}
      >
        {t('Timeline')}
      </button>
      <Allowed to="operate">
        {BOTH.map((verb) => (
          <button
            key={verb}
            type="button"
            class="quiet"
            aria-label={`${VERBS[verb].title}: ${title}`}
            onClick={() => onDecide(verb)}
          >
            {VERBS[verb].title}
          </button>
        ))}
      </Allowed>
    </span>
  );
}

/** Decides on the selected events, or on all that match if none is selected. */
function ManyButtons({ selected, onClick }: { selected: number; onClick(verb: Verb): void }) {
  return (
    <div class="row end">
      {selected > 0 && (
        <span class="soft">{plural(selected, '{n} event selected', '{n} events selected')}</span>
      )}
      {BOTH.map((verb) => (
        <button key={verb} type="button" onClick={() => onClick(verb)}>
          {selected > 0 ? VERBS[verb].selected : VERBS[verb].all}
        </button>
      ))}
    </div>
  );
}
