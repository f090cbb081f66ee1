import { useState } from 'preact/hooks';
import { callApi } from '../../api/client.ts';
import { LIVE_MS, useApi } from '../../api/useApi.ts';
import { formatNumber, formatShare, NONE } from '../../text/format.ts';
import { rich } from '../../text/richText.ts';
import { plural, t } from '../../text/translate.ts';
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
                label: t('Success rate'),
                value: formatShare(successRate),
                note: since ? rich(t('since {at}'), { at: <Instant at={since} /> }) : t('no deliveries yet'),
              },
              { label: t('Sent'), value: formatNumber(sent) },
              {
                label: t('Failed'),
                value: formatNumber(failed),
                note:
                  lastFailure &&
                  rich(t('last: {reason} at {at}', { reason: lastFailure.reason ?? '' }), {
                    at: <Instant at={lastFailure.at} />,
                  }),
              },
              { label: t('Pending'), value: formatNumber(pending) },
              {
                label: t('Median duration'),
                value: medianMs === null ? NONE : `${formatNumber(medianMs)} ms`,
              },
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
    announce(plural(redelivered, '{n} delivery will be resent.', '{n} deliveries will be resent.'));
  };
  return (
    <ActionForm class="row" label={t('Resend failed')} work={send}>
      <label for="failed-since">{t('Resend failed deliveries since')}</label>
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
          aria-label={t('Event')}
          value={type}
          choices={others.map((event) => ({ value: event, label: event }))}
          unset={first}
          onChange={setType}
        />
        <ActionButton work={send}>{t('Send test delivery')}</ActionButton>
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
  if (attempt === undefined) return <p role="status">{t('Waiting for the response…')}</p>;
  return (
    <div role="status" class={found?.status === 'sent' ? 'stack' : 'stack warning'}>
      <p>
        {t('{response} in {ms} ms.', {
          response: attempt.error ?? t('Response {status}', { status: attempt.status }),
          ms: attempt.durationMs,
        })}{' '}
        {found?.status === 'pending' && t('laurel will retry.')}
      </p>
      {found?.response?.body && <pre>{found.response.body}</pre>}
    </div>
  );
}
