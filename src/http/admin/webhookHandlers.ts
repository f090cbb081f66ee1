import { findEntity } from '../../admin/entities/entityForm.ts';
import { rotateWebhookSecret as rotateSecret } from '../../admin/entities/rotateWebhookSecret.ts';
import { WEBHOOK_SUCCESS_DELIVERIES_MAX } from '../../base/consoleLimits.ts';
import { ServiceError } from '../../base/errors.ts';
import { deliveryId, newId } from '../../base/ids.ts';
import { WEBHOOK_REDELIVERIES_MAX } from '../../base/limits.ts';
import type {
  GetWebhookSuccess,
  ListWebhookDeliveries,
  RedeliverFailedWebhooks,
  RedeliverWebhookDelivery,
  RotateWebhookSecret,
  TestWebhook,
  WebhookDelivery,
} from '../../contract/adminWebhooks.ts';
import { loadConfig } from '../../db/configuration/loadConfig.ts';
import {
  listWebhookDeliveries as listDeliveries,
  redeliver,
  redeliverFailed,
  type WebhookDeliveryRecord,
} from '../../db/deliveries/webhookDeliveries.ts';
import { readWebhookSuccess } from '../../db/deliveries/webhookSuccess.ts';
import { noDeliveryRows, writeDeliveries } from '../../db/deliveries/writeDeliveries.ts';
import { ensurePartition } from '../../db/partitions.ts';
import { transaction } from '../../db/pool.ts';
import { sampleWebhook } from '../../notifications/webhooks/sampleWebhook.ts';
import type { Webhook } from '../../rules/config.ts';
import { type Caller, type OperationRequest, type OperationResponse, ok } from '../request/endpoint.ts';
import { contextOf } from './resources.ts';

/** @throws ServiceError `notFound` */
async function findWebhook(
  { service, rules }: Pick<Caller, 'service' | 'rules'>,
  id: string,
): Promise<Webhook> {
  return findEntity(await loadConfig(service.pool, rules.tenant), 'webhooks', id);
}

function deliveryView(delivery: WebhookDeliveryRecord): WebhookDelivery {
  const { id, type, status, reason, userId, createdAt, dueAt, finishedAt, payload, request, response, log } =
    delivery;
  return {
    id,
    type,
    status,
    reason,
    userId,
    created: createdAt.toISOString(),
    due: dueAt.toISOString(),
    finished: finishedAt?.toISOString() ?? null,
    attempts: log,
    request: request && { headers: request, body: payload },
    response,
  };
}

/** GET /admin/v1/webhooks/{id}/deliveries?limit=&before=&status=&type= */
export async function listWebhookDeliveries(
  call: OperationRequest<typeof ListWebhookDeliveries>,
): Promise<OperationResponse<typeof ListWebhookDeliveries>> {
  const { service, rules, path, query } = call;
  await findWebhook(call, path.id);
  return ok((await listDeliveries(service.pool, rules.tenant, path.id, query)).map(deliveryView));
}

/** GET /admin/v1/webhooks/{id}/success */
export async function getWebhookSuccess(
  call: OperationRequest<typeof GetWebhookSuccess>,
): Promise<OperationResponse<typeof GetWebhookSuccess>> {
  const { service, rules, path } = call;
  await findWebhook(call, path.id);
  const found = await readWebhookSuccess(service.pool, rules.tenant, path.id, WEBHOOK_SUCCESS_DELIVERIES_MAX);
  const { since, failedAt, reason, sent, failed, pending, dropped, medianMs } = found;
  return ok({
    sent,
    failed,
    pending,
    dropped,
    medianMs: medianMs === null ? null : Math.round(medianMs),
    since: since?.toISOString() ?? null,
    successRate: sent + failed === 0 ? null : sent / (sent + failed),
    lastFailure: failedAt && { at: failedAt.toISOString(), reason },
  });
}

/** POST /admin/v1/webhooks/{id}/deliveries/{deliveryId}/redeliver */
export async function redeliverWebhookDelivery(
  call: OperationRequest<typeof RedeliverWebhookDelivery>,
): Promise<OperationResponse<typeof RedeliverWebhookDelivery>> {
  const { service, rules, path } = call;
  await findWebhook(call, path.id);
  if (!(await redeliver(service.pool, rules.tenant, path.id, path.deliveryId, service.clock.now()))) {
    throw new ServiceError('notFound', `There is no delivery ${path.deliveryId} of this webhook`);
  }
  return { status: 202, body: { redelivered: 1 } };
}

/** POST /admin/v1/webhooks/{id}/redeliver */
export async function redeliverFailedWebhooks(
  call: OperationRequest<typeof RedeliverFailedWebhooks>,
): Promise<OperationResponse<typeof RedeliverFailedWebhooks>> {
  const { service, rules, path, body } = call;
  const since = Date.parse(body.since);
  if (Number.isNaN(since))
    throw new ServiceError('invalid', 'since must be an instant such as 2026-11-20T08:00:00Z');
  await findWebhook(call, path.id);
  const redelivered = await redeliverFailed(service.pool, {
    tenant: rules.tenant,
    webhook: path.id,
    since,
    now: service.clock.now(),
    limit: WEBHOOK_REDELIVERIES_MAX,
  });
  return { status: 202, body: { redelivered } };
}

/** POST /admin/v1/webhooks/{id}/test */
export async function testWebhook(
  call: OperationRequest<typeof TestWebhook>,
): Promise<OperationResponse<typeof TestWebhook>> {
  const { service, rules, path, body } = call;
  const webhook = await findWebhook(call, path.id);
  if (webhook.status !== 'active')
    throw new ServiceError('invalid', `status of the webhook must be active, not ${webhook.status}`);
  const type = body.type ?? webhook.events[0]!;
  const now = service.clock.now();
  const id = deliveryId(now, ['test', newId()]);
  const rows = noDeliveryRows();
  rows.webhookDeliveries.push({
    id,
    createdAt: now,
    dueAt: now,
    tenant: rules.tenant,
    webhook: webhook.id,
    userId: null,
    type,
    facts: null,
    payload: JSON.stringify(sampleWebhook(type, now)),
  });
  await transaction(service.pool, async (client) => {
    await ensurePartition(client, 'day', now);
    await writeDeliveries(client, rows);
  });
  return { status: 202, body: { id } };
}

/** POST /admin/v1/webhooks/{id}/rotate-secret */
export async function rotateWebhookSecret(
  call: OperationRequest<typeof RotateWebhookSecret>,
): Promise<OperationResponse<typeof RotateWebhookSecret>> {
  const body = await rotateSecret(contextOf(call), call.path.id);
  return { status: 201, body: body as OperationResponse<typeof RotateWebhookSecret>['body'] };
}
