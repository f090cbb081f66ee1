import { instantOfDelivery } from '../../base/ids.ts';
import type { WebhookEvent } from '../../base/webhookEvents.ts';
import type { Webhook } from '../../rules/config.ts';
import type { Queryable } from '../pool.ts';

/** Primary key of a delivery: its id and its creation, which determines the partition. */
const keyOf = (id: string): [string, Date] => [id, new Date(instantOfDelivery(id))];

/** A pending delivery, with its webhook. */
export interface PendingWebhookDelivery {
  id: string;
  tenant: number;
  userId: string | null;
  type: WebhookEvent;
  createdAt: Date;
  dueAt: Date;
  attempts: number;
  payload: string | null;
  facts: unknown;
  webhookId: string;
  /** null if the webhook has been deleted. */
  webhook: Pick<Webhook, 'url' | 'status' | 'secret' | 'previousSecret'> | null;
}

/** null if the delivery is no longer pending. */
export async function findPendingDelivery(db: Queryable, id: string): Promise<PendingWebhookDelivery | null> {
  const { rows } = await db.query<PendingWebhookDelivery>({
    name: 'find pending webhook delivery',
    text: `select delivery.id, delivery.tenant, user_id as "userId", type, created_at as "createdAt", due_at as "dueAt",
        attempts, payload, facts, webhook as "webhookId", body as webhook
      from webhook_deliveries delivery left join entities on entities.id = webhook and entities.kind = 'webhooks'
      where delivery.id = $1 and created_at = $2 and delivery.status = 'pending'`,
    values: keyOf(id),
  });
  return rows[0] ?? null;
}

/** A body that was rendered when it was sent. */
export interface Rendered {
  body: string;
  /** The last change that the body shows, by its sequence number, if later deliveries must not show it again. */
  shown?: { subject: string; sequence: number };
}

/** Stores the body, which every attempt sends. */
export async function keepPayload(
  db: Queryable,
  { id, webhookId }: Pick<PendingWebhookDelivery, 'id' | 'webhookId'>,
  { body, shown }: Rendered,
): Promise<void> {
  await db.query({
    name: shown === undefined ? 'keep payload' : 'keep payload of changes',
    text: `${shown === undefined ? '' : NOTE_SHOWN} update webhook_deliveries set payload = $3 where id = $1 and created_at = $2`,
    values: [...keyOf(id), body, ...(shown === undefined ? [] : [webhookId, shown.subject, shown.sequence])],
  });
}

const NOTE_SHOWN = `with noted as (
    update webhook_windows set shown = $6 where webhook = $4 and subject = $5 and coalesce(shown, 0) < $6
  )`;

export interface AttemptRecord {
  status: 'sent' | 'failed' | 'pending';
  reason: string | null;
  dueAt: number;
  /** Request headers. */
  request: Record<string, string>;
  response: object | null;
  /** The entry of this attempt in the delivery's log. */
  line: { at: string; status: number | null; error: string | null; durationMs: number };
}

/** Records the attempt that follows `attempts` earlier ones, unless another worker has recorded it. */
export async function recordAttempt(
  db: Queryable,
  { id, attempts, webhookId }: Pick<PendingWebhookDelivery, 'id' | 'attempts' | 'webhookId'>,
  { status, reason, dueAt, request, response, line }: AttemptRecord,
): Promise<void> {
  await db.query({
    name: status === 'sent' ? 'record webhook success' : 'record webhook failure',
    text: `with health as (
        ${status === 'sent' ? FORGET_FAILURES : NOTE_FAILURE}
      )
      update webhook_deliveries set status = $4, reason = $5, due_at = $6, attempts = attempts + 1, request = $8,
        response = $9, log = log || $10::jsonb, finished_at = case when $4 = 'pending' then null else $7::timestamptz end
      where id = $1 and created_at = $2 and attempts = $11 and status = 'pending'`,
    values: [
      ...keyOf(id),
      ...[webhookId, status, reason, new Date(dueAt), line.at],
      ...[JSON.stringify(request), response && JSON.stringify(response), JSON.stringify([line]), attempts],
    ],
  });
}

const FORGET_FAILURES = 'delete from webhook_failures where webhook = $3';
const NOTE_FAILURE = `insert into webhook_failures (webhook, failing_since) values ($3, $7)
  on conflict (webhook) do nothing`;

/** Ends a delivery without sending it. */
export async function dropDelivery(db: Queryable, id: string, reason: string, now: number): Promise<void> {
  await db.query(
    `update webhook_deliveries set status = 'dropped', reason = $3, finished_at = $4
     where id = $1 and created_at = $2 and status = 'pending'`,
    [...keyOf(id), reason, new Date(now)],
  );
}

/** When the present series of failures of a webhook began; null if its last delivery succeeded. */
export async function findFailingSince(db: Queryable, webhook: string): Promise<Date | null> {
  const { rows } = await db.query<{ since: Date }>(
    'select failing_since as since from webhook_failures where webhook = $1',
    [webhook],
  );
  return rows[0]?.since ?? null;
}

export async function forgetFailures(db: Queryable, webhooks: string[]): Promise<void> {
  await db.query('delete from webhook_failures where webhook = any($1)', [webhooks]);
}

export interface WebhookDelivery {
  id: string;
  type: WebhookEvent;
  status: 'pending' | 'sent' | 'failed' | 'dropped';
  reason: string | null;
  userId: string | null;
  createdAt: Date;
  dueAt: Date;
  finishedAt: Date | null;
  attempts: number;
  payload: string | null;
  request: Record<string, string> | null;
  response: { status: number; headers: Record<string, string>; body: string } | null;
  log: AttemptRecord['line'][];
}

export interface DeliveryFilter {
  limit: number;
  /** Only deliveries older than the one with this id. */
  before?: string | undefined;
  status?: WebhookDelivery['status'] | undefined;
  type?: WebhookEvent | undefined;
}

/** Deliveries of a webhook, newest first. */
export async function listWebhookDeliveries(
  db: Queryable,
  tenant: number,
  webhook: string,
  { limit, before, status, type }: DeliveryFilter,
): Promise<WebhookDelivery[]> {
  const { rows } = await db.query<WebhookDelivery>(
    `select id, type, status, reason, user_id as "userId", created_at as "createdAt", due_at as "dueAt",
       finished_at as "finishedAt", attempts, payload, request, response, log
     from webhook_deliveries
     where tenant = $1 and webhook = $2 and ($4::uuid is null or id < $4) and ($5::text is null or status = $5)
       and ($6::text is null or type = $6)
     order by id desc limit $3`,
    [tenant, webhook, limit, before ?? null, status ?? null, type ?? null],
  );
  return rows;
}

const AGAIN = `update webhook_deliveries set status = 'pending', reason = null, due_at = $1, finished_at = null, attempts = 0`;

/** Makes a delivery pending again, whatever its status. @returns false if it does not exist */
export async function redeliver(
  db: Queryable,
  tenant: number,
  webhook: string,
  id: string,
  now: number,
): Promise<boolean> {
  const { rowCount } = await db.query(`${AGAIN} where id = $2 and created_at = $3 and tenant = $4 and webhook = $5`, [
    new Date(now),
    ...keyOf(id),
    tenant,
    webhook,
  ]);
  return rowCount === 1;
}

/**
 * Makes failed deliveries created since an instant (ms) pending again, the oldest first, at most `limit`; of all webhooks if `webhook`
 * is null.
 * @returns the number of these deliveries
 */
export async function redeliverFailed(
  db: Queryable,
  {
    tenant,
    webhook,
    since,
    now,
    limit,
  }: { tenant: number | null; webhook: string | null; since: number; now: number; limit: number },
): Promise<number> {
  const { rowCount } = await db.query(
    `${AGAIN} where (id, created_at) in (
       select id, created_at from webhook_deliveries where status = 'failed' and created_at >= $2
         and ($3::integer is null or tenant = $3) and ($4::uuid is null or webhook = $4)
       order by id limit $5)`,
    [new Date(now), new Date(since), tenant, webhook, limit],
  );
  return rowCount ?? 0;
}
