import { useState } from 'preact/hooks';
import { ADMIN, callApi } from '../../api/client.ts';
import { Confirm } from '../../ui/Confirm.tsx';
import { Card } from '../../ui/Page.tsx';
import { ShownOnce } from '../../ui/ShownOnce.tsx';

export const WebhookSecret = ({ secret, onClose }: { secret: string; onClose(): void }) => (
  <ShownOnce
    title="Signing secret"
    note="The receiver checks with it that a call comes from laurel."
    value={secret}
    onClose={onClose}
  />
);

/** Replaces the secret of a webhook, and shows the new one. */
export function RotateSecret({ id }: { id: string }) {
  const [secret, setSecret] = useState<string | null>(null);
  const rotate = async (): Promise<void> => {
    const answer = await callApi<{ secret: string }>('POST', `${ADMIN}/webhooks/${id}/rotate-secret`);
    setSecret(answer.secret);
  };
  return (
    <Card
      title="Signing secret"
      note="It was shown when the webhook was created. A lost one can only be replaced."
    >
      <div>
        <Confirm label="Replace the secret" done="The webhook has a new secret." work={rotate}>
          For 24 hours calls are signed with both secrets, so that the receiver can change over without a gap.
        </Confirm>
      </div>
      {secret !== null && <WebhookSecret secret={secret} onClose={() => setSecret(null)} />}
    </Card>
  );
}
