import type { ListNotificationDeliveries } from '../../contract/notifications.ts';
import { listNotifications } from '../../db/deliveries/notificationDeliveries.ts';
import { type OperationRequest, type OperationResponse, ok } from '../request/endpoint.ts';

/** GET /admin/v1/notifications/deliveries */
export async function listNotificationDeliveries({
  service,
  rules,
  query,
}: OperationRequest<typeof ListNotificationDeliveries>): Promise<
  OperationResponse<typeof ListNotificationDeliveries>
> {
  const listed = await listNotifications(service.pool, rules.tenant, query, query);
  return ok(
    listed.map(({ created, due, finished, ...rest }) => ({
      ...rest,
      created: created.toISOString(),
      due: due.toISOString(),
      finished: finished?.toISOString() ?? null,
    })),
  );
}
