import { randomBytes } from 'node:crypto';
import { Webhooks } from '../../contract/adminEntities.ts';
import type { EntityForm } from './entityForm.ts';

const WEBHOOK_SECRET_BYTES = 32;

export const newWebhookSecret = (): string => `whsec_${randomBytes(WEBHOOK_SECRET_BYTES).toString('base64')}`;

export const webhookForm: EntityForm<'webhooks'> = {
  kind: 'webhooks',
  schemas: Webhooks,
  defaults: () => ({
    status: 'active',
    disabledReason: null,
    secret: newWebhookSecret(),
    previousSecret: null,
  }),
  complete: (body, given) => (given.status === undefined ? body : { ...body, disabledReason: null }),
  view: ({ id, name, url, events, status, disabledReason }) => ({
    id,
    name,
    url,
    events,
    status,
    ...(disabledReason && { disabledReason }),
  }),
  viewCreated: (webhook, at) => ({ ...webhookForm.view(webhook, at), secret: webhook.secret }),
};
