import Type from 'typebox';
import { pageQuery } from './admin.ts';
import { operation } from './operation.ts';
import { NOTIFICATION_TYPES, NotificationChannel } from './preferences.ts';
import { Instant, nullable, Uuid } from './schemas.ts';

const NotificationTypeName = Type.Enum([...NOTIFICATION_TYPES]);
const Status = Type.Enum(['pending', 'sent', 'failed', 'suppressed'], {
  description: 'failed: given up. suppressed: not to be sent, for the reason given.',
});

export const NotificationDelivery = Type.Object(
  {
    id: Uuid,
    userId: Type.String(),
    channel: NotificationChannel,
    type: NotificationTypeName,
    status: Status,
    reason: nullable(Type.String({ description: 'Why it was suppressed or has failed, or failed the last time.' })),
    attempts: Type.Integer(),
    created: Instant,
    due: Type.String({ format: 'date-time', description: 'When it is sent, or sent again.' }),
    finished: nullable(Instant),
  },
  { $id: 'NotificationDelivery' },
);

export const ListNotificationDeliveries = operation({
  tag: 'Notifications',
  summary: 'List notifications, the newest first',
  description: 'What was sent to users, what was not, and why. Kept for 30 days.',
  access: 'admin',
  query: Type.Object({
    ...pageQuery.properties,
    userId: Type.Optional(Type.String({ minLength: 1 })),
    channel: Type.Optional(NotificationChannel),
    type: Type.Optional(NotificationTypeName),
    status: Type.Optional(Status),
  }),
  responses: { 200: Type.Array(NotificationDelivery) },
});
