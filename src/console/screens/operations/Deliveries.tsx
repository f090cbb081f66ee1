import { useState } from 'preact/hooks';
import type { WebhookDelivery } from '../../../contract/configured/adminWebhooks.ts';
import { callApi } from '../../api/client.ts';
import type { Webhook } from '../../api/types.ts';
import { useAddress } from '../../api/useAddress.ts';
import { LIVE_MS, useList } from '../../api/useApi.ts';
import { formatInstant, formatNumber } from '../../text/format.ts';
import { ActionButton } from '../../ui/ActionButton.tsx';
import { AdminLink, Allowed } from '../../ui/Allowed.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { Instant } from '../../ui/Instant.tsx';
import { Listing, ListTable } from '../../ui/Listing.tsx';
import { Select } from '../../ui/Select.tsx';
import { Facts, Tag } from '../../ui/Tiles.tsx';
import { WebhookSuccess, WebhookTest } from './WebhookChecks.tsx';

const STATUSES = ['pending', 'sent', 'failed', 'dropped'].map((value) => ({ value, label: value }));

/** Deliveries of a webhook; the webhook and the status are in the address. */
export function Deliveries() {
  const { query, change } = useAddress();
  return (
    <Listing
      of={useList('/webhooks')}
      none="No webhooks yet"
      hint={<AdminLink href="/console/configuration/webhooks/new">Create a webhook</AdminLink>}
    >
      {(all) => {
        const chosen = all.find(({ id }) => id === query.webhook) ?? all[0]!;
        return (
          <>
            <div class="row">
              <Select
                aria-label="Webhook"
                value={chosen.id}
                choices={all.map(({ id, name }) => ({ value: id, label: name }))}
                onChange={(webhook) => change({ webhook })}
              />
              <Select
                aria-label="Status"
                value={query.status}
                choices={STATUSES}
                unset="Any status"
                onChange={(status) => change({ status })}
              />
            </div>
            <DeliveryList key={chosen.id} webhook={chosen} status={query.status} />
          </>
        );
      }}
    </Listing>
  );
}

function DeliveryList({ webhook, status }: { webhook: Webhook; status: string | undefined }) {
  const path = `/webhooks/${webhook.id}/deliveries` as const;
  const after = (before: string) => ({ before });
  const deliveries = useList(path, { status }, { page: 50, after, everyMs: LIVE_MS });
  const [shown, setShown] = useState<WebhookDelivery | null>(null);
  return (
    <>
      <WebhookSuccess id={webhook.id} />
      <Allowed to="operate">
        <WebhookTest id={webhook.id} />
      </Allowed>
      <ListTable
        of={deliveries}
        none="No deliveries"
        hint="Deliveries are kept for 7 days. Send a test delivery, or an event that the webhook subscribes to."
        label="Deliveries"
        keyOf={({ id }) => id}
        columns={[
          {
            title: 'Type',
            cell: (delivery) => (
              <button type="button" class="quiet" onClick={() => setShown(delivery)}>
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
                <ActionButton
                  done="Delivery will be resent."
                  work={() => callApi('POST', `${path}/${id}/redeliver`).then(deliveries.reload)}
                >
                  Resend
                </ActionButton>
              </Allowed>
            ),
          },
        ]}
      />
      {shown && <DeliveryDialog delivery={shown} onClose={() => setShown(null)} />}
    </>
  );
}

function DeliveryDialog({ delivery, onClose }: { delivery: WebhookDelivery; onClose(): void }) {
  const { type, id, created, due, finished, attempts, request, response } = delivery;
  return (
    <Dialog title={type} isWide onClose={onClose}>
      <Facts
        facts={[
          ['ID', <span class="code">{id}</span>],
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
