import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { WebhookDelivery } from '../../../contract/adminWebhooks.ts';
import { ADMIN, addressOf, callApi } from '../../api/client.ts';
import type { Webhook } from '../../api/types.ts';
import { useAction } from '../../api/useAction.ts';
import { LIVE_MS, useList } from '../../api/useApi.ts';
import { formatInstant, formatNumber } from '../../format.ts';
import { Allowed } from '../../ui/Allowed.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { Instant } from '../../ui/Instant.tsx';
import { ErrorMessage, Loading } from '../../ui/Loading.tsx';
import { Empty } from '../../ui/Page.tsx';
import { ShowMore } from '../../ui/ShowMore.tsx';
import { Table } from '../../ui/Table.tsx';
import { Facts, Tag } from '../../ui/Tiles.tsx';
import { WebhookSuccess } from './WebhookSuccess.tsx';
import { WebhookTest } from './WebhookTest.tsx';

/** Deliveries of a webhook; which one, and of which status, is in the address. */
export function Deliveries() {
  const { query, path, route } = useLocation();
  const webhooks = useList<Webhook>('/webhooks');
  const chosen = webhooks.data?.find(({ id }) => id === query.webhook) ?? webhooks.data?.[0];
  const change = (changed: Record<string, string>): void =>
    route(addressOf(path, { ...query, ...changed }), true);
  return (
    <Loading of={webhooks}>
      {(all) =>
        chosen === undefined ? (
          <Empty title="There is no webhook yet">
            <Allowed to="admin">
              <a href="/console/configuration/webhooks/new">Create a webhook</a>
            </Allowed>
          </Empty>
        ) : (
          <>
            <div class="row">
              <select
                aria-label="Webhook"
                value={chosen.id}
                onChange={(event) => change({ webhook: event.currentTarget.value })}
              >
                {all.map(({ id, name }) => (
                  <option key={id} value={id}>
                    {name}
                  </option>
                ))}
              </select>
              <select
                aria-label="Status"
                value={query.status ?? ''}
                onChange={(event) => change({ status: event.currentTarget.value })}
              >
                <option value="">Any status</option>
                {['pending', 'sent', 'failed', 'dropped'].map((status) => (
                  <option key={status} value={status}>
                    {status}
                  </option>
                ))}
              </select>
            </div>
            <DeliveryList key={chosen.id} webhook={chosen} status={query.status} />
          </>
        )
      }
    </Loading>
  );
}

/** Deliveries that are listed at first, and added by every "Show earlier". */
const PAGE = 50;

function DeliveryList({ webhook, status }: { webhook: Webhook; status: string | undefined }) {
  const path = `/webhooks/${webhook.id}`;
  const [max, setMax] = useState(PAGE);
  const after = (before: string) => ({ before });
  const deliveries = useList<WebhookDelivery>(
    `${path}/deliveries`,
    { status },
    { max, after, everyMs: LIVE_MS },
  );
  const [shown, setShown] = useState<WebhookDelivery | null>(null);
  const { run, error, isRunning } = useAction();
  const redeliver = (id: string): void =>
    void run(
      () => callApi('POST', `${ADMIN}${path}/deliveries/${id}/redeliver`).then(deliveries.reload),
      'It will be sent again.',
    );
  return (
    <>
      <WebhookSuccess id={webhook.id} />
      <Allowed to="operate">
        <WebhookTest id={webhook.id} />
      </Allowed>
      <ErrorMessage text={error} />
      <Loading of={deliveries}>
        {(all) =>
          all.length === 0 ? (
            <Empty title="There are no deliveries">
              <span>They are kept for 7 days. Send a test delivery, or an event that the webhook wants.</span>
            </Empty>
          ) : (
            <DeliveryTable deliveries={all} isBusy={isRunning} show={setShown} redeliver={redeliver} />
          )
        }
      </Loading>
      <ShowMore shown={deliveries.data?.length} max={max} onClick={() => setMax(max + PAGE)} />
      {shown && <DeliveryDialog delivery={shown} onClose={() => setShown(null)} />}
    </>
  );
}

interface DeliveryTableProps {
  deliveries: WebhookDelivery[];
  isBusy: boolean;
  show(delivery: WebhookDelivery): void;
  redeliver(id: string): void;
}

function DeliveryTable({ deliveries, isBusy, show, redeliver }: DeliveryTableProps) {
  return (
    <Table
      label="Deliveries"
      rows={deliveries}
      keyOf={({ id }) => id}
      columns={[
        {
          title: 'Type',
          cell: (delivery) => (
            <button type="button" class="quiet" onClick={() => show(delivery)}>
              {delivery.type}
            </button>
          ),
        },
        { title: 'User', cell: ({ userId }) => userId },
        { title: 'Status', cell: ({ status: now }) => <Tag text={now} /> },
        { title: 'Attempts', isNumber: true, cell: ({ attempts }) => formatNumber(attempts.length) },
        { title: 'Reason', cell: ({ reason }) => reason },
        { title: 'Created', cell: ({ created }) => <Instant at={created} /> },
        {
          title: '',
          cell: ({ id }) => (
            <Allowed to="operate">
              <button type="button" disabled={isBusy} onClick={() => redeliver(id)}>
                Send again
              </button>
            </Allowed>
          ),
        },
      ]}
    />
  );
}

function DeliveryDialog({ delivery, onClose }: { delivery: WebhookDelivery; onClose(): void }) {
  const { type, id, created, due, finished, attempts, request, response } = delivery;
  return (
    <Dialog title={type} isWide onClose={onClose}>
      <Facts
        facts={[
          ['Id', <span class="code">{id}</span>],
          ['Created', formatInstant(created)],
          ['Due', formatInstant(due)],
          ['Finished', formatInstant(finished)],
          ...attempts.map(({ at, status, error, durationMs }, i): [string, string] => [
            `Attempt ${i + 1}`,
            `${formatInstant(at)}: ${error ?? status} in ${durationMs} ms`,
          ]),
        ]}
      />
      {request && (
        <>
          <h3>Request</h3>
          <pre>{[JSON.stringify(request.headers, null, 2), request.body].join('\n\n')}</pre>
        </>
      )}
      {response && (
        <>
          <h3>Response: {response.status}</h3>
          <pre>{response.body}</pre>
        </>
      )}
    </Dialog>
  );
}
