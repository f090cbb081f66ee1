import type { Agent } from 'undici';
import { type Clock, systemClock } from '../base/clock.ts';
import { WEBHOOK_FAILING_MS_MAX } from '../base/limits.ts';
import type { Log } from '../base/log.ts';
import {
  dropDelivery,
  findFailingSince,
  findPendingDelivery,
  keepPayload,
  type PendingWebhookDelivery,
  type Rendered,
  recordAttempt,
} from '../db/deliveries/webhookDeliveries.ts';
import { disableWebhook } from '../engine/disableWebhook.ts';
import type { Stores } from '../engine/stores.ts';
import type { EndpointSlots } from './endpointSlots.ts';
import { type Attempt, postWebhook } from './postWebhook.ts';
import { judge } from './webhookRetries.ts';
import { type Secrets, signatureHeaders } from './webhookSignature.ts';

export interface WebhookParts extends Stores {
  clock: Clock;
  log: Log;
  agent: Agent;
  slots: EndpointSlots;
  /** Name of the header with the plain signature. */
  signatureHeader: string;
  userAgent: string;
  /** Renders the body of a delivery that shows the state at the time of sending; null if there is nothing to report. */
  render(delivery: PendingWebhookDelivery): Promise<Rendered | null>;
  /** Counts the outcome of each attempt. `reason` is one of a small set. */
  count(outcome: 'sent' | 'failed' | 'retried' | 'dropped', reason: string | null): void;
}

/** What the job does next: end, or run again after `laterMs` (ms). */
export type Next = 'done' | { laterMs: number };

/**
 * Makes the next attempt of a delivery and records its outcome. If the webhook is not active or has no free place, the delivery stays
 * pending.
 */
export async function deliverWebhook(
  parts: WebhookParts,
  id: string,
  wasDeferred: boolean,
  signal: AbortSignal,
): Promise<Next> {
  const { pool, clock, slots } = parts;
  const delivery = await findPendingDelivery(pool, id);
  if (delivery === null || delivery.dueAt.getTime() > clock.now()) return 'done';
  const { webhook, webhookId } = delivery;
  if (webhook === null) {
    await drop(parts, id, 'the webhook was deleted');
    return 'done';
  }
  if (webhook.status !== 'active') return 'done';
  const place = slots.take(webhookId, wasDeferred);
  if (place !== true) return place === null ? 'done' : { laterMs: place };
  let attempt: Attempt | null = null;
  try {
    const payload = await payloadOf(parts, delivery);
    if (payload !== null) attempt = await attemptDelivery(parts, delivery, webhook, payload, signal);
  } finally {
    slots.release(webhookId, attempt?.durationMs ?? 0, attempt !== null && !isSuccess(attempt));
  }
  return 'done';
}

const isSuccess = ({ response }: Attempt): boolean =>
  response !== null && response.status >= 200 && response.status < 300;

async function drop({ pool, clock, count }: WebhookParts, id: string, reason: string): Promise<void> {
  await dropDelivery(pool, id, reason, clock.now());
  count('dropped', reason);
}

/** The body, which is rendered once and used for every attempt; null if there is nothing to report. */
async function payloadOf(parts: WebhookParts, delivery: PendingWebhookDelivery): Promise<string | null> {
  if (delivery.payload !== null) return delivery.payload;
  const rendered = await parts.render(delivery);
  if (rendered === null) await drop(parts, delivery.id, 'nothing has changed');
  else await keepPayload(parts.pool, delivery, rendered);
  return rendered?.body ?? null;
}

function validSecrets(
  { secret, previousSecret }: NonNullable<PendingWebhookDelivery['webhook']>,
  now: number,
): Secrets {
  const isOldValid = previousSecret != null && Date.parse(previousSecret.expires) > now;
  return isOldValid ? [secret, previousSecret.secret] : [secret];
}

/** @returns null if this process stops before the response arrives; another process makes the attempt again */
async function attemptDelivery(
  parts: WebhookParts,
  delivery: PendingWebhookDelivery,
  webhook: NonNullable<PendingWebhookDelivery['webhook']>,
  body: string,
  signal: AbortSignal,
): Promise<Attempt | null> {
  const { pool, clock, agent, signatureHeader, userAgent } = parts;
  const { id, attempts } = delivery;
  const at = clock.now();
  const request = {
    'content-type': 'application/json',
    'user-agent': userAgent,
    // Receivers compare the timestamp with the real time, so it does not come from the test clock.
    ...signatureHeaders(signatureHeader, validSecrets(webhook, at), { id, now: systemClock.now(), body }),
  };
  const attempt = await postWebhook(agent, webhook.url, request, body, signal);
  if (attempt.response === null && signal.aborted) return null;
  const now = clock.now();
  const verdict = judge(attempt, attempts + 1, now, Math.random());
  await recordAttempt(pool, delivery, {
    status: verdict.status,
    reason: verdict.status === 'sent' ? null : verdict.reason,
    dueAt: verdict.status === 'pending' ? verdict.dueAt : now,
    request,
    response: attempt.response,
    line: {
      at: new Date(at).toISOString(),
      status: attempt.response?.status ?? null,
      error: attempt.error,
      durationMs: attempt.durationMs,
    },
  });
  const outcome = verdict.status === 'pending' ? 'retried' : verdict.status;
  parts.count(outcome, null);
  if (verdict.status !== 'sent') await disableIfGone(parts, delivery, verdict, now);
  return attempt;
}

async function disableIfGone(
  parts: WebhookParts,
  { tenant, webhookId }: PendingWebhookDelivery,
  verdict: { status: 'failed'; isGone: boolean } | { status: 'pending' },
  now: number,
): Promise<void> {
  const isGone = verdict.status === 'failed' && verdict.isGone;
  const since = isGone ? null : await findFailingSince(parts.pool, webhookId);
  if (!isGone && (since === null || now - since.getTime() < WEBHOOK_FAILING_MS_MAX)) return;
  const reason = isGone ? 'The endpoint answered 410 Gone' : `No delivery has succeeded since ${since!.toISOString()}`;
  parts.log.warn({ tenant, webhook: webhookId, reason }, 'a webhook is disabled');
  await disableWebhook(parts, tenant, webhookId, reason, now);
}
