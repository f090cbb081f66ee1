import { useEffect, useRef, useState } from 'preact/hooks';
import type { AdminUser } from '../../../contract/adminUsers.ts';
import type { ApproveHeldEvents, ListedHeldEvent, ListHeldEvents } from '../../../contract/heldEvents.ts';
import type { ResponseOf } from '../../../contract/operation.ts';
import { ADMIN, callApi } from '../../api/client.ts';
import type { Metric } from '../../api/types.ts';
import { LIVE_MS, useApi, useCursorList, useList } from '../../api/useApi.ts';
import { formatNumber } from '../../format.ts';
import { Allowed } from '../../ui/Allowed.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { SchemaForm } from '../../ui/form/SchemaForm.tsx';
import type { Schema } from '../../ui/form/schema.ts';
import { Instant } from '../../ui/Instant.tsx';
import { Loading } from '../../ui/Loading.tsx';
import { Card, Empty, Page } from '../../ui/Page.tsx';
import { ShowMore } from '../../ui/ShowMore.tsx';
import { Table } from '../../ui/Table.tsx';
import { UserLink } from '../users/UserLink.tsx';
import { UserTimeline } from '../users/UserTimeline.tsx';
import { userAddress, userPath } from '../users/userAddress.ts';

type HeldPage = ResponseOf<typeof ListHeldEvents>;
type Verb = 'approve' | 'reject';
type HeldUser = Pick<ListedHeldEvent, 'userId' | 'userName'>;

const PAGE = 50;
const SCHEMA: Schema = {
  type: 'object',
  required: ['reason'],
  properties: { reason: { type: 'string', description: 'For the audit log and the timeline.' } },
};
const TEXTS = {
  approve: {
    title: 'Approve',
    text: 'It counts as of its own time, and no guard applies to it.',
    done: 'Approved.',
  },
  reject: { title: 'Reject', text: 'It changes nothing.', done: 'Rejected.' },
};

/** Events that wait for a review, beside what their user has done lately. */
export function HeldEvents() {
  const [max, setMax] = useState(PAGE);
  const held = useCursorList<'events', HeldPage>('/held-events', 'events', max, { everyMs: LIVE_MS });
  const [chosen, choose] = useState<HeldUser | null>(null);
  const user = chosen ?? held.data?.events[0] ?? null;
  return (
    <Page
      title="Held events"
      lead="Events that a guard of their metric holds until somebody decides on them."
      actions={<a href="/console/operations/audit?kind=heldEvents">Who decided what</a>}
    >
      <Loading of={held}>
        {({ events }) =>
          events.length === 0 ? (
            <Empty title="No event waits for a review">
              <span>
                Guards of a metric can hold events that look wrong, such as values that are too high. Nothing
                of a held event counts before somebody approves it.
              </span>
              <Allowed to="admin">
                <a href="/console/configuration/metrics">Choose a metric and its guards</a>
              </Allowed>
            </Empty>
          ) : (
            <div class="columns wide-first">
              <Card title="Waiting" note="The latest first.">
                <HeldTable
                  events={events}
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
  /** The user whose timeline is shown. */
  userId: string | null;
  onChosen(user: HeldUser): void;
  onDecided(): void;
}

function HeldTable({ events, userId: chosen, onChosen, onDecided }: HeldTableProps) {
  const [decision, setDecision] = useState<{ verb: Verb; event: ListedHeldEvent } | null>(null);
  const metrics = useList<Metric>('/metrics').data ?? [];
  const names = new Map(metrics.map(({ key, name }) => [key, name]));
  const metricOf = ({ metric }: ListedHeldEvent): string => names.get(metric) ?? metric;
  const button = (verb: Verb, event: ListedHeldEvent) => (
    <button
      type="button"
      class="quiet"
      aria-label={`${TEXTS[verb].title}: ${whoOf(event)}, ${metricOf(event)} ${formatNumber(event.value)}`}
      onClick={() => setDecision({ verb, event })}
    >
      {TEXTS[verb].title}
    </button>
  );
  return (
    <>
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
                {metricOf(event)} <strong>{formatNumber(event.value)}</strong>
                {event.guard && <div class="soft small">{GUARDS[event.guard]}</div>}
              </div>
            ),
          },
          { title: 'Happened', cell: (event) => <HappenedCell {...event} /> },
          {
            title: '',
            cell: (event) => (
              <span class="row end">
                <button
                  type="button"
                  class="quiet"
                  aria-label={`Timeline: ${whoOf(event)}`}
                  aria-pressed={event.userId === chosen}
                  onClick={() => onChosen(event)}
                >
                  Timeline
                </button>
                <Allowed to="operate">
                  {button('approve', event)}
                  {button('reject', event)}
                </Allowed>
              </span>
            ),
          },
        ]}
      />
      {decision && (
        <DecisionDialog
          {...decision}
          metric={metricOf(decision.event)}
          onClose={() => {
            setDecision(null);
            onDecided();
          }}
        />
      )}
    </>
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

interface DecisionProps {
  verb: Verb;
  event: ListedHeldEvent;
  /** Its name. */
  metric: string;
  onClose(): void;
}

function DecisionDialog({ verb, event, metric, onClose }: DecisionProps) {
  const { title, text, done } = TEXTS[verb];
  return (
    <Dialog title={`${title} the event`} onClose={onClose}>
      <p>
        {metric} {formatNumber(event.value)} of <strong>{whoOf(event)}</strong>. {text}
      </p>
      <SchemaForm
        schema={SCHEMA}
        initial={{}}
        submitLabel={title}
        done={done}
        onSubmit={async ({ reason }) => {
          const { events } = await callApi<ResponseOf<typeof ApproveHeldEvents>>(
            'POST',
            `${ADMIN}/held-events/${verb}`,
            { body: { ids: [event.id], reason } },
          );
          const [{ error } = {}] = events;
          if (error !== undefined) throw new Error(error);
          onClose();
        }}
      />
    </Dialog>
  );
}
