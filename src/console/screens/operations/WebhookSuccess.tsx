import { useState } from 'preact/hooks';
import type { GetWebhookSuccess } from '../../../contract/adminWebhooks.ts';
import type { ResponseOf } from '../../../contract/operation.ts';
import { ADMIN, callApi } from '../../api/client.ts';
import { useAction } from '../../api/useAction.ts';
import { LIVE_MS, useApi } from '../../api/useApi.ts';
import { count, formatNumber, formatShare, NONE } from '../../format.ts';
import { isAllowed } from '../../ui/Allowed.tsx';
import { announce } from '../../ui/announcements.tsx';
import { Instant } from '../../ui/Instant.tsx';
import { ErrorMessage, Loading } from '../../ui/Loading.tsx';
import { Tiles } from '../../ui/Tiles.tsx';

/** How many deliveries of a webhook succeed, and the failed ones sent again. */
export function WebhookSuccess({ id }: { id: string }) {
  const success = useApi<ResponseOf<typeof GetWebhookSuccess>>(
    `/webhooks/${id}/success`,
    {},
    { everyMs: LIVE_MS },
  );
  return (
    <Loading of={success}>
      {({ sent, failed, pending, successRate, medianMs, since, lastFailure }) => (
        <>
          <Tiles
            tiles={[
              {
                label: 'Success',
                value: formatShare(successRate),
                note: since ? ['since ', <Instant at={since} />] : 'no delivery yet',
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
              { label: 'Waiting', value: formatNumber(pending) },
              { label: 'Usual time', value: medianMs === null ? NONE : `${formatNumber(medianMs)} ms` },
            ]}
          />
          {failed > 0 && isAllowed('operate') && <SendFailedAgain id={id} />}
        </>
      )}
    </Loading>
  );
}

/** Sends failed deliveries again since an instant, such as the end of an outage of the receiver. */
function SendFailedAgain({ id }: { id: string }) {
  const [since, setSince] = useState('');
  const { run, error, isRunning } = useAction();
  const send = (event: Event): void => {
    event.preventDefault();
    void run(async () => {
      const body = { since: new Date(since).toISOString() };
      const path = `${ADMIN}/webhooks/${id}/redeliver`;
      const { redelivered } = await callApi<{ redelivered: number }>('POST', path, { body });
      announce(`${count(redelivered, 'delivery', 'deliveries')} will be sent again.`);
    });
  };
  return (
    <form class="row" onSubmit={send}>
      <label for="failed-since">Send failed ones again since</label>
      <input
        id="failed-since"
        type="datetime-local"
        required
        value={since}
        onInput={(event) => setSince(event.currentTarget.value)}
      />
      <button type="submit" disabled={isRunning}>
        {isRunning ? 'Working…' : 'Send again'}
      </button>
      <ErrorMessage text={error} />
    </form>
  );
}
