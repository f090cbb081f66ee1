import { Allowed } from '../../ui/Allowed.tsx';
import { Card } from '../../ui/Page.tsx';
import { WebhookSuccess } from '../operations/WebhookSuccess.tsx';
import { WebhookTest } from '../operations/WebhookTest.tsx';
import { RotateSecret } from './RotateSecret.tsx';

/** What one does with a webhook besides changing it. */
export function WebhookCards({ id }: { id: string }) {
  return (
    <>
      <Card
        title="Deliveries"
        actions={<a href={`/console/operations/deliveries?webhook=${id}`}>All deliveries</a>}
      >
        <WebhookSuccess id={id} />
      </Card>
      <Allowed to="operate">
        <Card title="Test" note="Sends a sample of an event, signed like any other delivery.">
          <WebhookTest id={id} />
        </Card>
      </Allowed>
      <Allowed to="admin">
        <RotateSecret id={id} />
      </Allowed>
    </>
  );
}
