import { rotateWebhookSecret as rotateSecret } from '../../admin/entities/rotateWebhookSecret.ts';
import { findEntity } from '../../admin/kinds/findEntity.ts';
import { WEBHOOK_SUCCESS_DELIVERIES_MAX } from '../../base/consoleLimits.ts';
import { deliveryId, newId } from '../../base/ids.ts';
import { WEBHOOK_REDELIVERIES_MAX } from '../../base/limits.ts';
import {
  GetWebhookSuccess,
  ListWebhookDeliveries,
  RedeliverFailedWebhooks,
  RedeliverWebhookDelivery,
  RotateWebhookSecret,
  TestWebhook,
} from '../../contract/configured/adminWebhooks.ts';
import { loadConfig } from '../../db/configuration/loadConfig.ts';
import {
  listWebhookDeliveries as listDeliveries,
  readWebhookSuccess,
  redeliver,
  redeliverFailed,
} from '../../db/deliveries/webhookDeliveries.ts';
import { noDeliveryRows, writeDeliveries } from '../../db/deliveries/writeDeliveries.ts';
import { ensurePartition } from '../../db/partitions.ts';
import { transaction } from '../../db/pool.ts';
import { sampleWebhook } from '../../notifications/webhooks/sampleWebhook.ts';
import type { Webhook } from '../../rules/config.ts';
import { contextOf } from '../request/adminContext.ts';
import { type CallById, endpoint, type OperationResponse, ok } from '../request/endpoint.ts';
import { readInstant } from '../request/parameters.ts';
import { invalid, notFound } from '../request/refuse.ts';

/** The webhook that the path names. @throws ServiceError `notFound` */
async function findWebhook({ service, rules, path }: CallById): Promise<Webhook> {
  return findEntity(await loadConfig(service.pool, rules.tenant), 'webhooks', path.id);
}

export const listWebhookDeliveries = endpoint(ListWebhookDeliveries, async (call) => {
  const { service, rules, path, query } = call;
  await findWebhook(call);
  const found = await listDeliveries(service.pool, rules.tenant, path.id, query);
  return ok(
    found.map(({ createdAt, dueAt, finishedAt, attempts, payload, request, response, log, ...delivery }) => ({
      ...delivery,
      created: createdAt,
      due: dueAt,
      finished: finishedAt,
      attempts: log,
      request: request && { headers: request, body: payload },
      response,
    })),
  );
});

export const getWebhookSuccess = endpoint(GetWebhookSuccess, async (call) => {
  const { service, rules, path } = call;
  await findWebhook(call);
  const found = await readWebhookSuccess(service.pool, rules.tenant, path.id, WEBHOOK_SUCCESS_DELIVERIES_MAX);
  const { since, failedAt, reason, sent, failed, pending, dropped, medianMs } = found;
  return ok({
    sent,
    failed,
    pending,
    dropped,
    medianMs: medianMs === null ? null : Math.round(medianMs),
    since,
    successRate: sent + failed === 0 ? null : sent / (sent + failed),
    lastFailure: failedAt && { at: failedAt, reason },
  });
});

export const redeliverWebhookDelivery = endpoint(RedeliverWebhookDelivery, async (call) => {
  const { service, rules, path } = call;
  await findWebhook(call);
  if (!(await redeliver(service.pool, rules.tenant, path.id, path.deliveryId, service.clock.now()))) {
    throw notFound(`There is no delivery ${path.deliveryId} of this webhook`);
  }
  return { status: 202, body: { redelivered: 1 } };
});

export const redeliverFailedWebhooks = endpoint(RedeliverFailedWebhooks, async (call) => {
  const { service, rules, path, body } = call;
  const since = readInstant('since', body.since);
  await findWebhook(call);
  const redelivered = await redeliverFailed(service.pool, {
    tenant: rules.tenant,
    webhook: path.id,
    since,
    now: service.clock.now(),
    limit: WEBHOOK_REDELIVERIES_MAX,
  });
  return { status: 202, body: { redelivered } };
});

export const testWebhook = endpoint(TestWebhook, async (call) => {
  const { service, rules, body } = call;
  const webhook = await findWebhook(call);
  if (webhook.status !== 'active')
    throw invalid(`status of the webhook must be active, not ${webhook.status}`);
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
});

export const rotateWebhookSecret = endpoint(RotateWebhookSecret, async (call) => {
  const body = await rotateSecret(contextOf(call), call.path.id);
  return { status: 201, body: body as OperationResponse<typeof RotateWebhookSecret>['body'] };
});
