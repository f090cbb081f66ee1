import type { WebhookEvent } from '../../contract/webhooks.ts';
import type { Queryable } from '../pool.ts';
import { type AttemptRecord, keyOf } from './webhookAttempts.ts';

export interface WebhookDeliveryRecord {
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
  status?: WebhookDeliveryRecord['status'] | undefined;
  type?: WebhookEvent | undefined;
}

/** Deliveries of a webhook, newest first. */
export async function listWebhookDeliveries(
  db: Queryable,
  tenant: number,
  webhook: string,
  { limit, before, status, type }: DeliveryFilter,
): Promise<WebhookDeliveryRecord[]> {
  const { rows } = await db.query<WebhookDeliveryRecord>(
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
  const { rowCount } = await db.query(
    `${AGAIN} where id = $2 and created_at = $3 and tenant = $4 and webhook = $5`,
    [new Date(now), ...keyOf(id), tenant, webhook],
  );
  return rowCount === 1;
}

/**
 * Makes failed deliveries created since an instant (ms) pending again, the oldest first, at most `limit`; of
 * all webhooks if `webhook` is null.
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
