import type { Agent } from 'undici';
import { type Clock, systemClock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { Tracing } from '../../base/spans.ts';
import {
  dropDeliveries,
  findFailingSince,
  type PendingWebhookDelivery,
  type Rendered,
  type WebhookAttempts,
} from '../../db/deliveries/webhookAttempts.ts';
import { changeConfig } from '../../engine/configuration/changeConfig.ts';
import { bodyOf } from '../../engine/configuration/configDraft.ts';
import type { Stores } from '../../engine/stores/stores.ts';
import type { Webhook } from '../../rules/config.ts';
import { judge, postWebhook } from './postWebhook.ts';
import { type Secrets, signatureHeaders } from './webhookSignature.ts';

/** Time without a success after which a failing webhook is disabled. */
const WEBHOOK_FAILING_MS_MAX = 3 * 24 * 3_600_000;

export interface WebhookDependencies extends Stores {
  clock: Clock;
  log: Log;
  /** null unless deliveries are traced. */
  tracing: Tracing | null;
  agent: Agent;
  attempts: WebhookAttempts;
  signatureHeader: string;
  userAgent: string;
  /**
   * Renders the body of a delivery that shows the state at the time of sending; null if there is nothing to
   * report.
   */
  render(delivery: PendingWebhookDelivery): Promise<Rendered | null>;
  /** Counts the outcome of each attempt. `reason` is one of a small set. */
  count(outcome: 'sent' | 'failed' | 'retried' | 'dropped', reason: string | null): void;
}

export type TargetWebhook = Pick<Webhook, 'url' | 'status' | 'secret' | 'previousSecret'>;

export interface AttemptOutcome {
  hasFailed: boolean;
  /** Whether the webhook has been disabled because of the failure. */
  isDisabled: boolean;
}

/** The body, which is rendered once and used for every attempt; null if there is nothing to report. */
export async function payloadOf(
  deps: WebhookDependencies,
  delivery: PendingWebhookDelivery,
): Promise<string | null> {
  if (delivery.payload !== null) return delivery.payload;
  const rendered = await deps.render(delivery);
  if (rendered !== null) {
    await deps.attempts.keepPayload(delivery, rendered);
    return rendered.body;
  }
  await drop(deps, [delivery], 'nothing has changed');
  return null;
}

export async function drop(
  { pool, clock, count }: Pick<WebhookDependencies, 'pool' | 'clock' | 'count'>,
  deliveries: readonly PendingWebhookDelivery[],
  reason: string,
): Promise<void> {
  const ids = deliveries.map(({ id }) => id);
  await dropDeliveries(pool, ids, reason, clock.now());
  for (const _ of ids) count('dropped', reason);
}

function validSecrets({ secret, previousSecret }: TargetWebhook, now: number): Secrets {
  const isOldValid = previousSecret !== null && Date.parse(previousSecret.expires) > now;
  return isOldValid ? [secret, previousSecret.secret] : [secret];
}

/**
 * Makes the next attempt of a delivery and records it.
 * @returns null if this process stops before the response arrives; another process makes the attempt again
 * @throws Error if the attempt cannot be recorded
 */
export async function attemptDelivery(
  deps: WebhookDependencies,
  delivery: PendingWebhookDelivery,
  webhook: TargetWebhook,
  body: string,
  signal: AbortSignal,
): Promise<AttemptOutcome | null> {
  const { clock, tracing, agent, signatureHeader, userAgent } = deps;
  const { id, trace, attempts } = delivery;
  const span = tracing?.begin('deliver webhooks', {
    kind: 'client',
    parent: trace,
    attributes: { 'laurel.delivery': id },
  });
  const at = clock.now();
  const request = {
    'content-type': 'application/json',
    'user-agent': userAgent,
    // Receivers compare the timestamp with the real time, so it does not come from the test clock.
    ...signatureHeaders(signatureHeader, validSecrets(webhook, at), { id, now: systemClock.now(), body }),
  };
  const attempt = await postWebhook(agent, webhook.url, request, body, signal);
  if (attempt.response === null && signal.aborted) {
    span?.end();
    return null;
  }
  const now = clock.now();
  const verdict = judge(attempt, attempts + 1, now, Math.random());
  span?.end(attempt.error ?? undefined);
  await deps.attempts.record(delivery, {
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
  deps.count(verdict.status === 'pending' ? 'retried' : verdict.status, null);
  if (verdict.status === 'sent') return { hasFailed: false, isDisabled: false };
  return { hasFailed: true, isDisabled: await disableIfGone(deps, delivery, verdict, now) };
}

async function disableIfGone(
  deps: WebhookDependencies,
  { tenant, webhookId }: PendingWebhookDelivery,
  verdict: { status: 'failed'; isGone: boolean } | { status: 'pending' },
  now: number,
): Promise<boolean> {
  const isGone = verdict.status === 'failed' && verdict.isGone;
  const since = isGone ? null : await findFailingSince(deps.pool, webhookId);
  if (!isGone && (since === null || now - since.getTime() < WEBHOOK_FAILING_MS_MAX)) return false;
  const reason = isGone
    ? 'The endpoint answered 410 Gone'
    : `No delivery has succeeded since ${since!.toISOString()}`;
  deps.log.warn({ tenant, webhook: webhookId, reason }, 'a webhook was disabled');
  await disableWebhook(deps, tenant, webhookId, reason, now);
  return true;
}

/** Who disables, in the audit log. */
const ACTOR = 'webhooks';

/**
 * Disables an active webhook; its deliveries wait until it is active again. Does nothing if it is not active
 * by now.
 */
async function disableWebhook(
  stores: Stores,
  tenant: number,
  id: string,
  reason: string,
  now: number,
): Promise<void> {
  await changeConfig(
    { ...stores, tenant, actor: ACTOR, now },
    {
      edit: (draft) => {
        const webhook = draft.config.webhooks.find(
          (candidate) => candidate.id === id && candidate.status === 'active',
        );
        if (webhook)
          draft.put('webhooks', id, { ...bodyOf(webhook), status: 'disabled', disabledReason: reason });
      },
    },
  );
}
