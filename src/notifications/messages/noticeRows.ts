import { deliveryId } from '../../base/ids.ts';
import type { NoticeFacts } from '../../db/deliveries/notificationDeliveries.ts';
import type { NotificationDeliveryRow } from '../../db/deliveries/writeDeliveries.ts';
import type { Rules } from '../../rules/inForce/rules.ts';

export const CHANNELS = ['email', 'push'] as const;

/** What tells apart the notifications of a user that are due at one instant. */
export interface PlannedNotice {
  userId: string;
  channel: (typeof CHANNELS)[number];
  type: NotificationDeliveryRow['type'];
  ids: readonly (string | number)[];
  /** When it is due, ms. */
  at: number;
}

/** The row of a notification. Whoever plans it again makes a row with the same id. */
export const noticeRow = (
  { tenant }: Rules,
  { userId, channel, type, ids, at }: PlannedNotice,
  facts: NoticeFacts,
): NotificationDeliveryRow => ({
  id: deliveryId(at, [tenant, userId, channel, type, ...ids]),
  createdAt: at,
  tenant,
  userId,
  channel,
  type,
  dueAt: at,
  facts: JSON.stringify(facts),
});
