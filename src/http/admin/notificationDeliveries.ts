import type { ListNotificationDeliveries } from '../../contract/notifications.ts';
import { listNotifications } from '../../db/deliveries/notificationDeliveries.ts';
import { type Answer, type Call, ok } from '../request/endpoint.ts';

/** GET /admin/v1/notifications/deliveries */
export async function listNotificationDeliveries({
  service,
  rules,
  query,
}: Call<typeof ListNotificationDeliveries>): Promise<Answer<typeof ListNotificationDeliveries>> {
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
