import Type from 'typebox';
import { WEBHOOK_SUCCESS_DELIVERIES_MAX } from '../base/consoleLimits.ts';
import { WEBHOOK_DELIVERIES_PER_READ_MAX } from '../base/limits.ts';
import { Webhooks } from './adminEntities.ts';
import { operation } from './operation.ts';
import { Instant, nullable, Uuid } from './schemas.ts';
import { WEBHOOK_EVENTS } from './webhooks.ts';

const DeliveryStatus = Type.Enum(['pending', 'sent', 'failed', 'dropped']);
const EventType = Type.Enum(WEBHOOK_EVENTS);
const Headers = Type.Record(Type.String(), Type.String());

const WebhookDelivery = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: 'Also the header `webhook-id` of every attempt.' }),
    type: EventType,
    status: DeliveryStatus,
    reason: nullable(
      Type.String({ description: 'Why the delivery failed, is tried again, or was dropped.' }),
    ),
    userId: nullable(Type.String({ description: 'null if the delivery is not about one user.' })),
    created: Type.String({ format: 'date-time', description: 'When the reported change happened.' }),
    due: Type.String({
      format: 'date-time',
      description: 'When the next attempt is due, or the last one was.',
    }),
    finished: nullable(Instant),
    attempts: Type.Array(
      Type.Object({
        at: Instant,
        status: nullable(
          Type.Integer({ description: 'Status of the response; null if there was no response.' }),
        ),
        error: nullable(Type.String()),
        durationMs: Type.Integer(),
      }),
    ),
    request: nullable(Type.Object({ headers: Headers, body: nullable(Type.String()) })),
    response: nullable(
      Type.Object({
        status: Type.Integer(),
        headers: Headers,
        body: Type.String({ description: 'The first 4 KiB.' }),
      }),
    ),
  },
  { $id: 'WebhookDelivery' },
);
export type WebhookDelivery = Type.Static<typeof WebhookDelivery>;

const path = Type.Object({ id: Uuid });
const Redelivered = Type.Object({ redelivered: Type.Integer() }, { $id: 'Redelivered' });

export const ListWebhookDeliveries = operation({
  tag: 'Webhooks',
  summary: 'List the deliveries of a webhook',
  description:
    'Deliveries of the last 7 days, newest first. Request and response are those of the last attempt.',
  access: 'admin',
  path,
  query: Type.Object({
    limit: Type.Integer({ minimum: 1, maximum: WEBHOOK_DELIVERIES_PER_READ_MAX, default: 10 }),
    before: Type.Optional(
      Type.String({
        format: 'uuid',
        description: 'Only deliveries before this one. Pass the last id of the previous page.',
      }),
    ),
    status: Type.Optional(DeliveryStatus),
    type: Type.Optional(EventType),
  }),
  responses: { 200: Type.Array(WebhookDelivery) },
  mayMiss: true,
});

const Count = Type.Integer({ minimum: 0 });

export const GetWebhookSuccess = operation({
  tag: 'Webhooks',
  summary: 'Get how many deliveries of a webhook succeeded',
  description: `Of the last ${WEBHOOK_SUCCESS_DELIVERIES_MAX.toLocaleString('en')} deliveries of 7 days.`,
  access: 'admin',
  path,
  responses: {
    200: Type.Object(
      {
        since: nullable(
          Type.String({ format: 'date-time', description: 'When the oldest of them was created.' }),
        ),
        sent: Count,
        failed: Count,
        pending: Count,
        dropped: Count,
        successRate: nullable(
          Type.Number({ description: 'Share of `sent` in `sent` and `failed`, 0 to 1; null without any.' }),
        ),
        medianMs: nullable(
          Type.Integer({ description: 'Median time of the last attempts of those that were sent.' }),
        ),
        lastFailure: nullable(
          Type.Object({ at: Instant, reason: nullable(Type.String()) }, { description: 'The newest one.' }),
        ),
      },
      { $id: 'WebhookSuccess' },
    ),
  },
  mayMiss: true,
});

export const RedeliverWebhookDelivery = operation({
  role: 'operate',
  tag: 'Webhooks',
  summary: 'Send a delivery again',
  description:
    'Sends a delivery of any status again, with the same body and `webhook-id`, and with new attempts.',
  access: 'admin',
  path: Type.Object({ id: Uuid, deliveryId: Uuid }),
  responses: { 202: Redelivered },
  mayMiss: true,
});

export const RedeliverFailedWebhooks = operation({
  role: 'operate',
  tag: 'Webhooks',
  summary: 'Send all failed deliveries again',
  description: 'Failed deliveries of changes since an instant, oldest first, up to 10,000 in a call.',
  access: 'admin',
  path,
  request: Type.Object(
    { since: Type.String({ format: 'date-time' }) },
    { examples: [{ since: '2026-11-20T08:00:00Z' }] },
  ),
  responses: { 202: Redelivered },
  mayMiss: true,
});

export const TestWebhook = operation({
  role: 'operate',
  tag: 'Webhooks',
  summary: 'Send a test delivery',
  description: 'Sends sample data, signed like any other delivery. The list of deliveries shows the outcome.',
  access: 'admin',
  path,
  request: Type.Object(
    {
      type: Type.Optional(
        Type.Enum(WEBHOOK_EVENTS, { description: 'Default: the first type of the webhook.' }),
      ),
    },
    { examples: [{ type: 'streak.lost' }] },
  ),
  responses: { 202: Type.Object({ id: Uuid }, { $id: 'TestDelivery' }) },
  mayMiss: true,
});

export const RotateWebhookSecret = operation({
  tag: 'Webhooks',
  summary: 'Replace the secret of a webhook',
  description:
    'For 24 hours `webhook-signature` contains signatures with both secrets. The plain signature uses the new secret at once.',
  access: 'admin',
  path,
  responses: { 201: Webhooks.created },
  mayMiss: true,
});
