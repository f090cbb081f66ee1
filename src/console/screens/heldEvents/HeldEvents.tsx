import { useEffect, useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { AdminUser } from '../../../contract/adminUsers.ts';
import type { HeldEventConditions, ListedHeldEvent, ListHeldEvents } from '../../../contract/heldEvents.ts';
import type { ResponseOf } from '../../../contract/operation.ts';
import { addressOf } from '../../api/client.ts';
import type { Metric } from '../../api/types.ts';
import { LIVE_MS, useApi, useCursorList, useList } from '../../api/useApi.ts';
import { count, formatNumber } from '../../format.ts';
import { Allowed } from '../../ui/Allowed.tsx';
import { Instant } from '../../ui/Instant.tsx';
import { Loading } from '../../ui/Loading.tsx';
import { Card, Empty, Page } from '../../ui/Page.tsx';
import { ShowMore } from '../../ui/ShowMore.tsx';
import { Table } from '../../ui/Table.tsx';
import { UserLink } from '../users/UserLink.tsx';
import { UserTimeline } from '../users/UserTimeline.tsx';
import { userAddress, userPath } from '../users/userAddress.ts';
import { DecisionDialog, type HeldChoice, TEXTS } from './DecisionDialog.tsx';
import type { Verb } from './decideHeld.ts';
import { conditionsOf, HeldFilter } from './HeldFilter.tsx';

type HeldPage = ResponseOf<typeof ListHeldEvents>;
type HeldUser = Pick<ListedHeldEvent, 'userId' | 'userName'>;

const PAGE = 50;
const VERBS = ['approve', 'reject'] as const;

/** Events that wait for a review, beside what their user has done lately. */
export function HeldEvents() {
  const [max, setMax] = useState(PAGE);
  const { query: given, path, route } = useLocation();
  const filter = conditionsOf(given);
  const isFiltered = Object.keys(filter).length > 0;
  const held = useCursorList<'events', HeldPage>(
    '/held-events',
    'events',
    max,
    { ...filter },
    { everyMs: LIVE_MS },
  );
  const metrics = useList<Metric>('/metrics').data ?? [];
  const [chosen, choose] = useState<HeldUser | null>(null);
  const user = chosen ?? held.data?.events[0] ?? null;
  return (
    <Page
      title="Held events"
      lead="Events that a guard of their metric holds until somebody decides on them."
      actions={<a href="/console/operations/audit?kind=heldEvents">Who decided what</a>}
    >
      {(isFiltered || (held.data?.events.length ?? 0) > 0) && (
        <HeldFilter
          given={given}
          metrics={metrics}
          change={(changed) => route(addressOf(path, { ...given, ...changed }), true)}
        />
      )}
      <Loading of={held}>
        {({ events }) =>
          events.length === 0 ? (
            <NoneHeld isFiltered={isFiltered} />
          ) : (
            <div class="columns wide-first">
              <Card title="Waiting" note="The latest first.">
                <HeldTable
                  events={events}
                  filter={filter}
                  metrics={metrics}
                  userId={user?.userId ?? null}
                  onChosen={choose}
                  onDecided={held.reload}
                />
                <ShowMore shown={events.length} max={max} onClick={() => setMax(max + PAGE)} />
              </Card>
              {user !== null && <Recently key={user.userId} {...user} isAskedFor={chosen !== null} />}
            </div>
          )
        }
      </Loading>
    </Page>
  );
}

function NoneHeld({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <Empty title="No event that waits for a review matches" />;
  return (
    <Empty title="No event waits for a review">
      <span>
        Guards of a metric can hold events that look wrong, such as values that are too high. Nothing of a
        held event counts before somebody approves it.
      </span>
      <Allowed to="admin">
        <a href="/console/configuration/metrics">Choose a metric and its guards</a>
      </Allowed>
    </Empty>
  );
}

/** The timeline of a user; in sight where it was asked for, also on a phone. */
function Recently({ userId, userName, isAskedFor }: HeldUser & { isAskedFor: boolean }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isAskedFor) box.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  const user = useApi<AdminUser>(userPath(userId));
  return (
    <div ref={box}>
      <Card
        title={`Recently: ${userName ?? userId}`}
        note={<a href={userAddress(userId)}>All about the user</a>}
      >
        {user.error?.status === 404 ? (
          <Empty title="None of the user's events has counted yet" />
        ) : (
          <Loading of={user}>{(data) => <UserTimeline user={data} onChanged={user.reload} />}</Loading>
        )}
      </Card>
    </div>
  );
}

/** Why a guard held an event. */
const GUARDS: Record<NonNullable<ListedHeldEvent['guard']>, string> = {
  minValue: 'Value too low',
  maxValue: 'Value too high',
  cooldownSeconds: 'Too soon after the last one',
  limits: 'Limit of an hour or a day',
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
          { title: 'User', cell: (event) => <HeldUserCell {...event} /> },
          {
            title: 'Event',
            cell: (event) => (
              <div>
                {nameOf(event.metric)} <strong>{formatNumber(event.value)}</strong>
                {event.guard && <div class="soft small">{GUARDS[event.guard]}</div>}
              </div>
            ),
          },
          { title: 'Happened', cell: (event) => <HappenedCell {...event} /> },
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

/** Decides on the selected events; on all that match without any. */
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

function HeldUserCell({ userId, userName }: HeldUser) {
  return (
    <>
      <UserLink id={userId} name={userName} />
      {userName !== null && <div class="soft small">{userId}</div>}
    </>
  );
}

function HappenedCell({ timestamp, heldAt }: ListedHeldEvent) {
  return (
    <>
      <Instant at={timestamp} />
      {timestamp !== heldAt && (
        <div class="soft small">
          sent <Instant at={heldAt} />
        </div>
      )}
    </>
  );
}
