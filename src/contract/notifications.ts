import Type from 'typebox';
import { pageQuery } from './admin.ts';
import { operation } from './operation.ts';
import { NOTIFICATION_TYPES, NotificationChannel } from './preferences.ts';
import { Instant, instant, named, nullable, text, Uuid } from './schemas.ts';

const NotificationTypeName = Type.Enum([...NOTIFICATION_TYPES]);
const Status = Type.Enum(['pending', 'sent', 'failed', 'suppressed'], {
  description: 'failed: given up. suppressed: not sent, for the given reason.',
});

export const NotificationDelivery = named('NotificationDelivery', {
  id: Uuid,
  userId: Type.String(),
  channel: NotificationChannel,
  type: NotificationTypeName,
  status: Status,
  reason: nullable(text('Why it was suppressed or failed, or why the last attempt failed.')),
  attempts: Type.Integer(),
  created: Instant,
  due: instant('When the next attempt is due, or the last one was.'),
  finished: nullable(Instant),
  template: nullable(
    Type.Object(
      { id: Uuid, name: nullable(text('null once the template is deleted.')) },
      { description: 'What was sent; null if nothing was, and for a message by an administrator.' },
    ),
  ),
  variant: nullable(text('Key of the variant of the template; null without variants.')),
});

export const ListNotificationDeliveries = operation({
  name: 'listNotificationDeliveries',
  route: 'GET /notifications/deliveries',
  tag: 'Notifications',
  summary: 'List notifications, the newest first',
  description: 'Notifications that were sent, suppressed or failed, with the reason. Kept for 30 days.',
  query: Type.Object({
    ...pageQuery.properties,
    userId: Type.Optional(Type.String({ minLength: 1 })),
    channel: Type.Optional(NotificationChannel),
    type: Type.Optional(NotificationTypeName),
    status: Type.Optional(Status),
  }),
  responses: { 200: Type.Array(NotificationDelivery) },
});
