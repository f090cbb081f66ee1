import { useState } from 'preact/hooks';
import { callApi } from '../../api/client.ts';
import { LIVE_MS, useApi } from '../../api/useApi.ts';
import { count, formatNumber, formatShare, NONE } from '../../text/format.ts';
import { ActionButton, ActionForm } from '../../ui/ActionButton.tsx';
import { isAllowed } from '../../ui/Allowed.tsx';
import { announce } from '../../ui/announcements.tsx';
import { Instant } from '../../ui/Instant.tsx';
import { Loading } from '../../ui/Loading.tsx';
import { Select } from '../../ui/Select.tsx';
import { Tiles } from '../../ui/Tiles.tsx';

/** Success rate of a webhook, with a form that resends failed deliveries. */
export function WebhookSuccess({ id }: { id: string }) {
  const success = useApi(`/webhooks/${id}/success`, {}, { everyMs: LIVE_MS });
  return (
    <Loading of={success}>
      {({ sent, failed, pending, successRate, medianMs, since, lastFailure }) => (
        <>
          <Tiles
            tiles={[
              {
                label: 'Success rate',
                value: formatShare(successRate),
                note: since ? ['since ', <Instant at={since} />] : 'no deliveries yet',
              },
              { label: 'Sent', value: formatNumber(sent) },
              {
                label: 'Failed',
                value: formatNumber(failed),
                note: lastFailure && [
                  `last: ${lastFailure.reason ?? ''} at `,
                  <Instant at={lastFailure.at} />,
                ],
              },
              { label: 'Pending', value: formatNumber(pending) },
              { label: 'Median duration', value: medianMs === null ? NONE : `${formatNumber(medianMs)} ms` },
            ]}
          />
          {failed > 0 && isAllowed('operate') && <ResendFailed id={id} />}
        </>
      )}
    </Loading>
  );
}

/** Resends failed deliveries since an instant, such as the end of an outage of the receiver. */
function ResendFailed({ id }: { id: string }) {
  const [since, setSince] = useState('');
  const send = async (): Promise<void> => {
    const body = { since: new Date(since).toISOString() };
    const path = `/webhooks/${id}/redeliver`;
    const { redelivered } = await callApi<{ redelivered: number }>('POST', path, { body });
    announce(`${count(redelivered, 'delivery', 'deliveries')} will be resent.`);
  };
  return (
    <ActionForm class="row" label="Resend failed" work={send}>
      <label for="failed-since">Resend failed deliveries since</label>
      <input
        id="failed-since"
        type="datetime-local"
        required
        value={since}
        onInput={(event) => setSince(event.currentTarget.value)}
      />
    </ActionForm>
  );
}

/** A test is among the newest deliveries. */
const NEWEST = 10;

/** Sends a test delivery and shows the answer of the receiver. */
export function WebhookTest({ id }: { id: string }) {
  const webhook = useApi(`/webhooks/${id}`).data;
  const [type, setType] = useState('');
  const [sent, setSent] = useState<string | null>(null);
  const [first, ...others] = webhook?.events ?? [];
  const send = async (): Promise<void> => {
    const body = type === '' ? {} : { type };
    setSent((await callApi<{ id: string }>('POST', `/webhooks/${id}/test`, { body })).id);
  };
  return (
    <>
      <div class="row">
        <Select
          aria-label="Event"
          value={type}
          choices={others.map((event) => ({ value: event, label: event }))}
          unset={first}
          onChange={setType}
        />
        <ActionButton work={send}>Send test delivery</ActionButton>
      </div>
      {sent && <TestAnswer key={sent} webhook={id} delivery={sent} />}
    </>
  );
}

function TestAnswer({ webhook, delivery }: { webhook: string; delivery: string }) {
  const path = `/webhooks/${webhook}/deliveries` as const;
  const listed = useApi(path, { limit: NEWEST }, { everyMs: LIVE_MS }).data;
  const found = listed?.find(({ id }) => id === delivery);
  const attempt = found?.attempts.at(-1);
  if (attempt === undefined) return <p role="status">Waiting for the response…</p>;
  return (
    <div role="status" class={found?.status === 'sent' ? 'stack' : 'stack warning'}>
      <p>
        {attempt.error ?? `Response ${attempt.status}`} in {attempt.durationMs} ms.{' '}
        {found?.status === 'pending' && 'laurel will retry.'}
      </p>
      {found?.response?.body && <pre>{found.response.body}</pre>}
    </div>
  );
}
