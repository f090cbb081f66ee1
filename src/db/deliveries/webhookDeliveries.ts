import { instantOfDelivery } from '../../base/ids.ts';
import type { WebhookEvent } from '../../contract/webhooks.ts';
import type { Queryable } from '../pool.ts';
import { all, execute, some } from '../rows.ts';
import { raw, type Sql, sql } from '../sql.ts';
import type { AttemptRecord } from './webhookAttempts.ts';

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
export const listWebhookDeliveries = (
  db: Queryable,
  tenant: number,
  webhook: string,
  { limit, before, status, type }: DeliveryFilter,
): Promise<WebhookDeliveryRecord[]> =>
  all(db)`
    select id, type, status, reason, user_id as "userId", created_at as "createdAt", due_at as "dueAt",
      finished_at as "finishedAt", attempts, payload, request, response, log
    from webhook_deliveries
    where tenant = ${tenant} and webhook = ${webhook} and (${before}::uuid is null or id < ${before})
      and (${status}::text is null or status = ${status}) and (${type}::text is null or type = ${type})
    order by id desc limit ${limit}`;

const again = (now: number): Sql => sql`update webhook_deliveries
  set status = 'pending', reason = null, due_at = ${new Date(now)}, finished_at = null, attempts = 0`;

/** Makes a delivery pending again, whatever its status. @returns false if it does not exist */
export const redeliver = (
  db: Queryable,
  tenant: number,
  webhook: string,
  id: string,
  now: number,
): Promise<boolean> =>
  some(db)`
    ${again(now)} where id = ${id} and created_at = ${new Date(instantOfDelivery(id))}
      and tenant = ${tenant} and webhook = ${webhook}`;

/**
 * Makes failed deliveries created since an instant (ms) pending again, the oldest first, at most `limit`; of
 * all webhooks if `webhook` is null.
 * @returns the number of these deliveries
 */
export const redeliverFailed = (
  db: Queryable,
  {
    tenant,
    webhook,
    since,
    now,
    limit,
  }: { tenant: number | null; webhook: string | null; since: number; now: number; limit: number },
): Promise<number> =>
  execute(db)`
    ${again(now)} where (id, created_at) in (
      select id, created_at from webhook_deliveries
      where status = 'failed' and created_at >= ${new Date(since)}
        and (${tenant}::integer is null or tenant = ${tenant})
        and (${webhook}::uuid is null or webhook = ${webhook})
      order by id limit ${limit})`;

/** How the last deliveries of a webhook ended. */
export interface WebhookSuccessRow {
  since: Date | null;
  sent: number;
  failed: number;
  pending: number;
  dropped: number;
  medianMs: number | null;
  failedAt: Date | null;
  /** Of the last failure. */
  reason: string | null;
}

const counted = (status: WebhookDeliveryRecord['status']): Sql =>
  raw(`count(*) filter (where status = '${status}')::integer as ${status}`);

/** @param count deliveries that are counted at most, the newest ones */
export async function readWebhookSuccess(
  db: Queryable,
  tenant: number,
  webhook: string,
  count: number,
): Promise<WebhookSuccessRow> {
  const [success] = await all(db)<WebhookSuccessRow>`
    with last as (
      select id, status, reason, created_at, finished_at, log from webhook_deliveries
      where tenant = ${tenant} and webhook = ${webhook} order by id desc limit ${count}
    ), failure as (select finished_at, reason from last where status = 'failed' order by id desc limit 1)
    select min(created_at) as since, ${counted('sent')}, ${counted('failed')}, ${counted('pending')},
      ${counted('dropped')},
      percentile_cont(0.5) within group (order by (log -> -1 ->> 'durationMs')::float8)
        filter (where status = 'sent') as "medianMs",
      (select finished_at from failure) as "failedAt", (select reason from failure) as reason
    from last`;
  return success!;
}
