import { useState } from 'preact/hooks';
import type { WebhookDelivery } from '../../../contract/configured/adminWebhooks.ts';
import { callApi } from '../../api/client.ts';
import type { Webhook } from '../../api/types.ts';
import { useAddress } from '../../api/useAddress.ts';
import { LIVE_MS, useList } from '../../api/useApi.ts';
import { formatInstant, formatNumber } from '../../text/format.ts';
import { t, translated } from '../../text/translate.ts';
import { ActionButton } from '../../ui/ActionButton.tsx';
import { AdminLink, Allowed } from '../../ui/Allowed.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { Instant } from '../../ui/Instant.tsx';
import { Listing, ListTable } from '../../ui/Listing.tsx';
import { Select } from '../../ui/Select.tsx';
import { Facts, StatusTag } from '../../ui/Tiles.tsx';
import { WebhookSuccess, WebhookTest } from './WebhookChecks.tsx';

const STATUSES = ['pending', 'sent', 'failed', 'dropped'].map((value) => ({
  value,
  label: translated(value),
}));

/** Deliveries of a webhook; the webhook and the status are in the address. */
export function Deliveries() {
  const { query, change } = useAddress();
  return (
    <Listing
      of={useList('/webhooks')}
      none={t('No webhooks yet')}
      hint={<AdminLink href="/console/configuration/webhooks/new">{t('Create a webhook')}</AdminLink>}
    >
      {(all) => {
        const chosen = all.find(({ id }) => id === query.webhook) ?? all[0]!;
        return (
          <>
            <div class="row">
              <Select
                aria-label={t('Webhook')}
                value={chosen.id}
                choices={all.map(({ id, name }) => ({ value: id, label: name }))}
                onChange={(webhook) => change({ webhook })}
              />
              <Select
                aria-label={t('Status')}
                value={query.status}
                choices={STATUSES}
                unset={t('Any status')}
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
        none={t('No deliveries')}
        hint={t(
          'Deliveries are kept for 7 days. Send a test delivery, or an event that the webhook subscribes to.',
        )}
        label={t('Deliveries')}
        keyOf={({ id }) => id}
        columns={[
          {
            title: t('Type'),
            cell: (delivery) => (
              <button type="button" class="quiet" onClick={() => setShown(delivery)}>
                {delivery.type}
              </button>
            ),
          },
          { title: t('User'), cell: ({ userId }) => userId },
          { title: t('Status'), cell: ({ status: now }) => <StatusTag status={now} /> },
          { title: t('Attempts'), isNumber: true, cell: ({ attempts }) => formatNumber(attempts.length) },
          { title: t('Reason'), cell: ({ reason }) => reason },
          { title: t('Created'), cell: ({ created }) => <Instant at={created} /> },
          {
            title: '',
            cell: ({ id }) => (
              <Allowed to="operate">
                <ActionButton
                  done={t('Delivery will be resent.')}
                  work={() => callApi('POST', `${path}/${id}/redeliver`).then(deliveries.reload)}
                >
                  {t('Resend')}
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
          [t('Created'), formatInstant(created)],
          [t('Due'), formatInstant(due)],
          [t('Finished'), formatInstant(finished)],
          ...attempts.map(({ at, status, error, durationMs }, i): [string, string] => [
            t('Attempt {number}', { number: i + 1 }),
            t('{at}: {result} in {ms} ms', {
              at: formatInstant(at),
              result: error ?? status,
              ms: durationMs,
            }),
          ]),
        ]}
      />
      {request && (
        <>
          <h3>{t('Request')}</h3>
          <pre>{[JSON.stringify(request.headers, null, 2), request.body].join('\n\n')}</pre>
        </>
      )}
      {response && (
        <>
          <h3>{t('Response: {status}', { status: response.status })}</h3>
          <pre>{response.body}</pre>
        </>
      )}
    </Dialog>
  );
}
