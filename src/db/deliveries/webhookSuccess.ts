import type { Queryable } from '../pool.ts';

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

const counted = (status: string): string =>
  `count(*) filter (where status = '${status}')::integer as ${status}`;

/** @param count deliveries that are counted at most, the newest ones */
export async function readWebhookSuccess(
  db: Queryable,
  tenant: number,
  webhook: string,
  count: number,
): Promise<WebhookSuccessRow> {
  const { rows } = await db.query<WebhookSuccessRow>(
    `with last as (
       select id, status, reason, created_at, finished_at, log from webhook_deliveries
       where tenant = $1 and webhook = $2 order by id desc limit $3
     ), failure as (select finished_at, reason from last where status = 'failed' order by id desc limit 1)
     select min(created_at) as since, ${['sent', 'failed', 'pending', 'dropped'].map(counted).join(', ')},
       percentile_cont(0.5) within group (order by (log -> -1 ->> 'durationMs')::float8)
         filter (where status = 'sent') as "medianMs",
       (select finished_at from failure) as "failedAt", (select reason from failure) as reason
     from last`,
    [tenant, webhook, count],
  );
  return rows[0]!;
}
