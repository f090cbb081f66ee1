import { useState } from 'preact/hooks';
import type { WebhookDelivery } from '../../../contract/adminWebhooks.ts';
import { ADMIN, callApi } from '../../api/client.ts';
import type { Webhook } from '../../api/types.ts';
import { useAction } from '../../api/useAction.ts';
import { LIVE_MS, useApi } from '../../api/useApi.ts';
import { ErrorMessage } from '../../ui/Loading.tsx';

/** A test is among the newest deliveries. */
const NEWEST = 10;

/** Sends a test delivery and shows what the receiver answers. */
export function WebhookTest({ id }: { id: string }) {
  const webhook = useApi<Webhook>(`/webhooks/${id}`).data;
  const [type, setType] = useState('');
  const [sent, setSent] = useState<string | null>(null);
  const { run, error, isRunning } = useAction();
  const send = (): void =>
    void run(async () => {
      const body = type === '' ? {} : { type };
      const answer = await callApi<{ id: string }>('POST', `${ADMIN}/webhooks/${id}/test`, { body });
      setSent(answer.id);
    });
  return (
    <>
      <div class="row">
        <select aria-label="Event" value={type} onChange={(event) => setType(event.currentTarget.value)}>
          {(webhook?.events ?? []).map((event, i) => (
            <option key={event} value={i === 0 ? '' : event}>
              {event}
            </option>
          ))}
        </select>
        <button type="button" disabled={isRunning} onClick={send}>
          Send a test delivery
        </button>
      </div>
      <ErrorMessage text={error} />
      {sent && <TestAnswer key={sent} webhook={id} delivery={sent} />}
    </>
  );
}

function TestAnswer({ webhook, delivery }: { webhook: string; delivery: string }) {
  const path = `/webhooks/${webhook}/deliveries`;
  const listed = useApi<WebhookDelivery[]>(path, { limit: NEWEST }, { everyMs: LIVE_MS }).data;
  const found = listed?.find(({ id }) => id === delivery);
  const attempt = found?.attempts.at(-1);
  if (attempt === undefined) return <p role="status">Waiting for the answer…</p>;
  return (
    <div role="status" class={found?.status === 'sent' ? 'stack' : 'stack warning'}>
      <p>
        {attempt.error ?? `Answered ${attempt.status}`} in {attempt.durationMs} ms.{' '}
        {found?.status === 'pending' && 'It is tried again.'}
      </p>
      {found?.response?.body && <pre>{found.response.body}</pre>}
    </div>
  );
}
