import { useState } from 'preact/hooks';
import { callApi } from '../../api/client.ts';
import { t } from '../../text/translate.ts';
import { Allowed } from '../../ui/Allowed.tsx';
import { Confirm } from '../../ui/Confirm.tsx';
import { Card } from '../../ui/Page.tsx';
import { ShownOnce } from '../../ui/ShownOnce.tsx';
import { WebhookSuccess, WebhookTest } from '../operations/WebhookChecks.tsx';

/** Deliveries, test and secret of a webhook. */
export function WebhookCards({ id }: { id: string }) {
  return (
    <>
      <Card
        title={t('Deliveries')}
        actions={<a href={`/console/operations/deliveries?webhook=${id}`}>{t('View all')}</a>}
      >
        <WebhookSuccess id={id} />
      </Card>
      <Allowed to="operate">
        <Card title={t('Test')} note={t('Sends a sample event, signed like any other delivery.')}>
          <WebhookTest id={id} />
        </Card>
      </Allowed>
      <Allowed to="admin">
        <RotateSecret id={id} />
      </Allowed>
    </>
  );
}

export const WebhookSecret = ({ secret, onClose }: { secret: string; onClose(): void }) => (
  <ShownOnce
    title={t('Signing secret')}
    note={t('The receiver uses it to verify that requests come from laurel.')}
    value={secret}
    onClose={onClose}
  />
);

/** Rotates the secret of a webhook, and shows the new one. */
function RotateSecret({ id }: { id: string }) {
  const [secret, setSecret] = useState<string | null>(null);
  const rotate = async (): Promise<void> => {
    const answer = await callApi<{ secret: string }>('POST', `/webhooks/${id}/rotate-secret`);
    setSecret(answer.secret);
  };
  return (
    <Card
      title={t('Signing secret')}
      note={t('It was shown when the webhook was created. If it is lost, rotate it.')}
    >
      <div>
        <Confirm label={t('Rotate secret')} done={t('Secret rotated.')} work={rotate}>
          {t(
            'For 24 hours, requests are signed with both secrets, so the receiver can switch without interruption.',
          )}
        </Confirm>
      </div>
      {secret !== null && <WebhookSecret secret={secret} onClose={() => setSecret(null)} />}
    </Card>
  );
}
