import Type from 'typebox';
import { WEBHOOK_SUCCESS_DELIVERIES_MAX } from '../../base/consoleLimits.ts';
import { WEBHOOK_DELIVERIES_PER_READ_MAX } from '../../base/limits.ts';
import { operation } from '../operation.ts';
import { Instant, instant, integer, named, nullable, number, text, Uuid, uuid } from '../schemas.ts';
import { WEBHOOK_EVENTS } from '../webhooks.ts';
import { ADMIN_RESOURCES } from './adminEntities.ts';

const DeliveryStatus = Type.Enum(['pending', 'sent', 'failed', 'dropped']);
const EventType = Type.Enum(WEBHOOK_EVENTS);
const Headers = Type.Record(Type.String(), Type.String());

const WebhookDelivery = named('WebhookDelivery', {
  id: uuid('Also the header `webhook-id` of every attempt.'),
  type: EventType,
  status: DeliveryStatus,
  reason: nullable(text('Why the delivery failed, is tried again, or was dropped.')),
  userId: nullable(text('null if the delivery is not about one user.')),
  created: instant('When the reported change happened.'),
  due: instant('When the next attempt is due, or the last one was.'),
  finished: nullable(Instant),
  attempts: Type.Array(
    Type.Object({
      at: Instant,
      status: nullable(integer('Status of the response; null if there was no response.')),
      error: nullable(Type.String()),
      durationMs: Type.Integer(),
    }),
  ),
  request: nullable(Type.Object({ headers: Headers, body: nullable(Type.String()) })),
  response: nullable(
    Type.Object({
      status: Type.Integer(),
      headers: Headers,
      body: text('The first 4 KiB.'),
    }),
  ),
});
export type WebhookDelivery = Type.Static<typeof WebhookDelivery>;

const path = Type.Object({ id: Uuid });
const Redelivered = named('Redelivered', { redelivered: Type.Integer() });

export const ListWebhookDeliveries = operation({
  name: 'listWebhookDeliveries',
  route: 'GET /webhooks/{id}/deliveries',
  tag: 'Webhooks',
  summary: 'List the deliveries of a webhook',
  description:
    'Deliveries of the last 7 days, newest first. Request and response are those of the last attempt.',
  path,
  query: Type.Object({
    limit: Type.Integer({ minimum: 1, maximum: WEBHOOK_DELIVERIES_PER_READ_MAX, default: 10 }),
    before: Type.Optional(uuid('Only deliveries before this one. Pass the last id of the previous page.')),
    status: Type.Optional(DeliveryStatus),
    type: Type.Optional(EventType),
  }),
  responses: { 200: Type.Array(WebhookDelivery) },
});

const Count = Type.Integer({ minimum: 0 });

export const GetWebhookSuccess = operation({
  name: 'getWebhookSuccess',
  route: 'GET /webhooks/{id}/success',
  tag: 'Webhooks',
  summary: 'Get how many deliveries of a webhook succeeded',
  description: `Of the last ${WEBHOOK_SUCCESS_DELIVERIES_MAX.toLocaleString('en')} deliveries of 7 days.`,
  path,
  responses: {
    200: named('WebhookSuccess', {
      since: nullable(instant('When the oldest of them was created.')),
      sent: Count,
      failed: Count,
      pending: Count,
      dropped: Count,
      successRate: nullable(number('Share of `sent` in `sent` and `failed`, 0 to 1; null without any.')),
      medianMs: nullable(integer('Median time of the last attempts of those that were sent.')),
      lastFailure: nullable(
        Type.Object({ at: Instant, reason: nullable(Type.String()) }, { description: 'The newest one.' }),
      ),
    }),
  },
});

export const RedeliverWebhookDelivery = operation({
  name: 'redeliverWebhookDelivery',
  route: 'POST /webhooks/{id}/deliveries/{deliveryId}/redeliver',
  role: 'operate',
  tag: 'Webhooks',
  summary: 'Send a delivery again',
  description:
    'Sends a delivery of any status again, with the same body and `webhook-id`, and with new attempts.',
  path: Type.Object({ id: Uuid, deliveryId: Uuid }),
  responses: { 202: Redelivered },
});

export const RedeliverFailedWebhooks = operation({
  name: 'redeliverFailedWebhooks',
  route: 'POST /webhooks/{id}/redeliver',
  role: 'operate',
  tag: 'Webhooks',
  summary: 'Send all failed deliveries again',
  description: 'Failed deliveries of changes since an instant, oldest first, up to 10,000 in a call.',
  path,
  request: Type.Object(
    { since: Type.String({ format: 'date-time' }) },
    { examples: [{ since: '2026-11-20T08:00:00Z' }] },
  ),
  responses: { 202: Redelivered },
});

export const TestWebhook = operation({
  name: 'testWebhook',
  route: 'POST /webhooks/{id}/test',
  role: 'operate',
  tag: 'Webhooks',
  summary: 'Send a test delivery',
  description: 'Sends sample data, signed like any other delivery. The list of deliveries shows the outcome.',
  path,
  request: Type.Object(
    {
      type: Type.Optional(
        Type.Enum(WEBHOOK_EVENTS, { description: 'Default: the first type of the webhook.' }),
      ),
    },
    { examples: [{ type: 'streak.lost' }] },
  ),
  responses: { 202: named('TestDelivery', { id: Uuid }) },
});

export const RotateWebhookSecret = operation({
  name: 'rotateWebhookSecret',
  route: 'POST /webhooks/{id}/rotate-secret',
  tag: 'Webhooks',
  summary: 'Replace the secret of a webhook',
  description:
    'For 24 hours `webhook-signature` contains signatures with both secrets. The plain signature uses the new secret at once.',
  path,
  responses: { 201: ADMIN_RESOURCES.webhooks.created },
});
