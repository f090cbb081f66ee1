import { useState } from 'preact/hooks';
import type { AdminUser } from '../../../contract/adminUsers.ts';
import type { ApproveHeldEvents, HeldEvent, ListHeldEvents } from '../../../contract/heldEvents.ts';
import type { ResponseOf } from '../../../contract/operation.ts';
import { ADMIN, callApi } from '../../api/client.ts';
import type { Metric } from '../../api/types.ts';
import { LIVE_MS, useApi, useCursorList, useList } from '../../api/useApi.ts';
import { formatNumber, words } from '../../format.ts';
import { Allowed } from '../../ui/Allowed.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { SchemaForm } from '../../ui/form/SchemaForm.tsx';
import type { Schema } from '../../ui/form/schema.ts';
import { Instant } from '../../ui/Instant.tsx';
import { Loading } from '../../ui/Loading.tsx';
import { Card, Empty, Page } from '../../ui/Page.tsx';
import { ShowMore } from '../../ui/ShowMore.tsx';
import { Table } from '../../ui/Table.tsx';
import { UserTimeline } from '../users/UserTimeline.tsx';
import { userAddress, userPath } from '../users/userAddress.ts';

type HeldPage = ResponseOf<typeof ListHeldEvents>;
type Verb = 'approve' | 'reject';

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
  const [chosen, choose] = useState<string | null>(null);
  const userId = chosen ?? held.data?.events[0]?.userId ?? null;
  return (
    <Page
      title="Held events"
      lead="Events that a guard of their metric holds until somebody decides on them."
    >
      <Loading of={held}>
        {({ events }) =>
          events.length === 0 ? (
            <Empty title="No event waits for a review" />
          ) : (
            <div class="columns wide-first">
              <Card title="Waiting" note="The latest first.">
                <HeldTable events={events} onChosen={choose} onDecided={held.reload} />
                <ShowMore shown={events.length} max={max} onClick={() => setMax(max + PAGE)} />
              </Card>
              {userId !== null && (
                <Card
                  title={`Recently: ${userId}`}
                  note={<a href={userAddress(userId)}>All about the user</a>}
                >
                  <Recently key={userId} userId={userId} />
                </Card>
              )}
            </div>
          )
        }
      </Loading>
    </Page>
  );
}

function Recently({ userId }: { userId: string }) {
  const user = useApi<AdminUser>(userPath(userId));
  if (user.error?.status === 404) return <Empty title="None of the user's events has counted yet" />;
  return <Loading of={user}>{(data) => <UserTimeline user={data} onChanged={user.reload} />}</Loading>;
}

interface HeldTableProps {
  events: HeldEvent[];
  onChosen(userId: string): void;
  onDecided(): void;
}

function HeldTable({ events, onChosen, onDecided }: HeldTableProps) {
  const [decision, setDecision] = useState<{ verb: Verb; event: HeldEvent } | null>(null);
  const metrics = useList<Metric>('/metrics').data ?? [];
  const names = new Map(metrics.map(({ key, name }) => [key, name]));
  const button = (verb: Verb, event: HeldEvent) => (
    <button
      type="button"
      class="quiet"
      aria-label={`${TEXTS[verb].title}: ${event.userId}, ${event.metric} ${event.value}`}
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
          {
            title: 'User',
            cell: ({ userId }) => (
              <button type="button" class="quiet" onClick={() => onChosen(userId)}>
                {userId}
              </button>
            ),
          },
          { title: 'Metric', cell: ({ metric }) => names.get(metric) ?? metric },
          { title: 'Value', isNumber: true, cell: ({ value }) => formatNumber(value) },
          { title: 'Guard', cell: ({ guard }) => guard && words(guard) },
          {
            title: 'Happened',
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
          },
          {
            title: '',
            cell: (event) => (
              <Allowed to="operate">
                <span class="row end">
                  {button('approve', event)}
                  {button('reject', event)}
                </span>
              </Allowed>
            ),
          },
        ]}
      />
      {decision && (
        <DecisionDialog
          {...decision}
          onClose={() => {
            setDecision(null);
            onDecided();
          }}
        />
      )}
    </>
  );
}

function DecisionDialog({ verb, event, onClose }: { verb: Verb; event: HeldEvent; onClose(): void }) {
  const { title, text, done } = TEXTS[verb];
  return (
    <Dialog title={`${title} the event`} onClose={onClose}>
      <p>
        {event.metric} {formatNumber(event.value)} of <strong>{event.userId}</strong>. {text}
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
