import { useEffect, useRef, useState } from 'preact/hooks';
import type { HeldEventConditions, ListedHeldEvent, ListHeldEvents } from '../../../contract/heldEvents.ts';
import type { ResponseOf } from '../../../contract/operation.ts';
import type { Metric } from '../../api/types.ts';
import { useAddress } from '../../api/useAddress.ts';
import { LIVE_MS, useApi, useCursorList, useList } from '../../api/useApi.ts';
import { count, formatNumber } from '../../text/format.ts';
import { AdminLink, Allowed } from '../../ui/Allowed.tsx';
import { Instant } from '../../ui/Instant.tsx';
import { Listing } from '../../ui/Listing.tsx';
import { Loading } from '../../ui/Loading.tsx';
import { Card, Empty, Page } from '../../ui/Page.tsx';
import { type Column, Table } from '../../ui/Table.tsx';
import { UserTimeline } from '../users/UserTimeline.tsx';
import { UserLink, userAddress, userPath } from '../users/userAddress.tsx';
import { DecisionDialog, type HeldChoice, TEXTS, type Verb } from './DecisionDialog.tsx';
import { conditionsOf, HeldFilter } from './HeldFilter.tsx';

type HeldPage = ResponseOf<typeof ListHeldEvents>;
type HeldUser = Pick<ListedHeldEvent, 'userId' | 'userName'>;

const VERBS = ['approve', 'reject'] as const;

/** Events that are waiting for review, beside the timeline of their user. */
export function HeldEvents() {
  const { query: given, change } = useAddress();
  const filter = conditionsOf(given);
  const isFiltered = Object.keys(filter).length > 0;
  const paging = { page: 50, everyMs: LIVE_MS };
  const held = useCursorList<'events', HeldPage>('/held-events', 'events', { ...filter }, paging);
  const metrics = useList('/metrics').data ?? [];
  const [chosen, choose] = useState<HeldUser | null>(null);
  const user = chosen ?? held.data?.events[0] ?? null;
  return (
    <Page
      title="Held events"
      lead="Events that a guard of their metric holds for review."
      actions={<a href="/console/operations/audit?kind=heldEvents">Decision log</a>}
    >
      {(isFiltered || (held.data?.events.length ?? 0) > 0) && (
        <HeldFilter given={given} metrics={metrics} change={change} />
      )}
      <Listing
        of={held}
        rows={({ events }) => events}
        none={isFiltered ? 'No matching events' : 'No events waiting for review'}
        hint={!isFiltered && <AboutGuards />}
      >
        {({ events }) => (
          <div class="columns wide-first">
            <Card title="Waiting for review" note="Newest first.">
              <HeldTable
                events={events}
                filter={filter}
                metrics={metrics}
                userId={user?.userId ?? null}
                onChosen={choose}
                onDecided={held.reload}
              />
            </Card>
            {user !== null && <Recently key={user.userId} {...user} isAskedFor={chosen !== null} />}
          </div>
        )}
      </Listing>
    </Page>
  );
}

const AboutGuards = () => (
  <>
    <span>
      Guards of a metric can hold suspicious events, such as those with high values. A held event does not
      count until it is approved.
    </span>
    <AdminLink href="/console/configuration/metrics">Configure the guards of a metric</AdminLink>
  </>
);

/** The timeline of a user; scrolled into view if it was requested. */
function Recently({ userId, userName, isAskedFor }: HeldUser & { isAskedFor: boolean }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isAskedFor) box.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  const user = useApi(userPath(userId));
  return (
    <div ref={box}>
      <Card title={`Timeline of ${userName ?? userId}`} note={<a href={userAddress(userId)}>View user</a>}>
        {user.error?.status === 404 ? (
          <Empty title="No counted events yet" />
        ) : (
          <Loading of={user}>{(data) => <UserTimeline user={data} onChanged={user.reload} />}</Loading>
        )}
      </Card>
    </div>
  );
}

/** Reasons why a guard held an event. */
const GUARDS: Record<NonNullable<ListedHeldEvent['guard']>, string> = {
  minValue: 'Value too low',
  maxValue: 'Value too high',
  cooldownSeconds: 'Too soon after the previous event',
  limits: 'Hourly or daily limit exceeded',
};

const USER: Column<ListedHeldEvent> = {
  title: 'User',
  cell: ({ userId, userName }) => (
    <>
      <UserLink id={userId} name={userName} />
      {userName !== null && <div class="soft small">{userId}</div>}
    </>
  ),
};
const TIME: Column<ListedHeldEvent> = {
  title: 'Time',
  cell: ({ timestamp, heldAt }) => (
    <>
      <Instant at={timestamp} />
      {timestamp !== heldAt && (
        <div class="soft small">
          sent <Instant at={heldAt} />
        </div>
      )}
    </>
  ),
};

interface HeldTableProps {
  events: ListedHeldEvent[];
  filter: HeldEventConditions;
  metrics: readonly Metric[];
  /** The user whose timeline is shown. */
  userId: string | null;
  onChosen(user: HeldUser): void;
  onDecided(): void;
}

function HeldTable({ events, filter, metrics, userId: chosen, onChosen, onDecided }: HeldTableProps) {
  const [decision, setDecision] = useState<{ verb: Verb; chosen: HeldChoice } | null>(null);
  const [marked, mark] = useState<ReadonlySet<string>>(new Set());
  const selected = events.filter(({ id }) => marked.has(id));
  const names = new Map(metrics.map(({ key, name }) => [key, name]));
  const nameOf = (metric: string): string => names.get(metric) ?? metric;
  const titleOf = (event: ListedHeldEvent): string =>
    `${whoOf(event)}, ${nameOf(event.metric)} ${formatNumber(event.value)}`;
  const toggle = ({ id }: ListedHeldEvent): void =>
    mark(new Set(marked.has(id) ? [...marked].filter((one) => one !== id) : [...marked, id]));
  return (
    <>
      <Allowed to="operate">
        <ManyButtons
          selected={selected.length}
          onClick={(verb) =>
            setDecision({ verb, chosen: selected.length > 0 ? { events: selected } : { filter } })
          }
        />
      </Allowed>
      <Table
        label="Held events"
        rows={events}
        keyOf={({ id }) => id}
        columns={[
          USER,
          {
            title: 'Event',
            cell: (event) => (
              <div>
                {nameOf(event.metric)} <strong>{formatNumber(event.value)}</strong>
                {event.guard && <div class="soft small">{GUARDS[event.guard]}</div>}
              </div>
            ),
          },
          TIME,
          {
            title: '',
            cell: (event) => (
              <RowActions
                who={whoOf(event)}
                title={titleOf(event)}
                isChosen={event.userId === chosen}
                isSelected={marked.has(event.id)}
                onTimeline={() => onChosen(event)}
                onSelect={() => toggle(event)}
                onDecide={(verb) => setDecision({ verb, chosen: { events: [event] } })}
              />
            ),
          },
        ]}
      />
      {decision && (
        <DecisionDialog
          {...decision}
          nameOf={nameOf}
          onClose={() => {
            setDecision(null);
            onDecided();
          }}
        />
      )}
    </>
  );
}

interface RowActionsProps {
  who: string;
  /** Of the event. */
  title: string;
  /** Whether the timeline of its user is shown. */
  isChosen: boolean;
  isSelected: boolean;
  onTimeline(): void;
  onSelect(): void;
  onDecide(verb: Verb): void;
}

function RowActions({ who, title, isChosen, isSelected, onTimeline, onSelect, onDecide }: RowActionsProps) {
  return (
    <span class="row end">
      <button
        type="button"
        class="quiet"
        aria-label={`Timeline: ${who}`}
        aria-pressed={isChosen}
        onClick={onTimeline}
      >
        Timeline
      </button>
      <Allowed to="operate">
        {VERBS.map((verb) => (
          <button
            key={verb}
            type="button"
            class="quiet"
            aria-label={`${TEXTS[verb].title}: ${title}`}
            onClick={() => onDecide(verb)}
          >
            {TEXTS[verb].title}
          </button>
        ))}
        <input type="checkbox" aria-label={`Select: ${title}`} checked={isSelected} onChange={onSelect} />
      </Allowed>
    </span>
  );
}

/** Decides on the selected events, or on all that match if none is selected. */
function ManyButtons({ selected, onClick }: { selected: number; onClick(verb: Verb): void }) {
  const what = selected > 0 ? 'selected' : 'all';
  return (
    <div class="row end">
      {selected > 0 && <span class="soft">{count(selected, 'event')} selected</span>}
      {VERBS.map((verb) => (
        <button key={verb} type="button" onClick={() => onClick(verb)}>
          {TEXTS[verb].title} {what}
        </button>
      ))}
    </div>
  );
}

const whoOf = ({ userId, userName }: HeldUser): string => userName ?? userId;
