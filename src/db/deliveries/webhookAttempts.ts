import { Batcher, type BatcherOptions } from '../../base/batcher.ts';
import { instantOfDelivery } from '../../base/ids.ts';
import { DELIVERIES_TOGETHER_MAX } from '../../base/limits.ts';
import { WEBHOOK_EVENTS, type WebhookEvent } from '../../contract/webhooks.ts';
import type { Webhook } from '../../rules/config.ts';
import type { Pool, Queryable } from '../pool.ts';
import { isPostgresOutage } from '../postgresAvailability.ts';
import { all, execute, prepared, value } from '../rows.ts';
import { INSTANT, raw, type Sql, sql } from '../sql.ts';

/** A pending delivery. */
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
  /** `context` of the span that has caused the delivery, if it is traced. */
  trace: string | null;
}

/** A body that was rendered when it was sent. */
export interface Rendered {
  body: string;
  /**
   * The last change that the body shows, by its sequence number, if later deliveries must not show it again.
   */
  shown?: { subject: string; sequence: number };
}

/** The result of the attempt that follows `attempts` earlier ones. */
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

type Attempted = Pick<PendingWebhookDelivery, 'id' | 'attempts' | 'webhookId'>;
type Kept = { delivery: Pick<PendingWebhookDelivery, 'id' | 'webhookId'> } & Rendered;
type Success = Attempted & Omit<AttemptRecord, 'status' | 'reason'>;

const OPTIONS: BatcherOptions = { most: DELIVERIES_TOGETHER_MAX, isCommon: isPostgresOutage };

/**
 * Deliveries by their ids. Both parts of the primary key are compared, so that PostgreSQL reads only the
 * partitions of these deliveries: their instants of creation follow from the ids.
 */
const areOf = (ids: readonly string[]): Sql => {
  const instants = new Set(ids.map(instantOfDelivery));
  return sql`delivery.id = any(${ids})
    and delivery.created_at = any(${Array.from(instants, (instant) => new Date(instant))})`;
};

/**
 * Reads and writes that the deliveries of a worker make again and again. Those of concurrent deliveries are
 * made together.
 */
export class WebhookAttempts {
  readonly #pool: Pool;
  readonly #keeps: Batcher<Kept, undefined>;
  readonly #successes: Batcher<Success, undefined>;

  constructor(pool: Pool) {
    this.#pool = pool;
    this.#keeps = new Batcher((kept) => keepAll(pool, kept), OPTIONS);
    this.#successes = new Batcher((attempts) => recordSuccesses(pool, attempts), OPTIONS);
  }

  /** null if the webhook has been deleted. */
  async findWebhook(id: string): Promise<Webhook | null> {
    return value(prepared(this.#pool))`select body from entities where id = ${id} and kind = 'webhooks'`;
  }

  /**
   * Deliveries of a webhook that are due at `now` (ms), the longest due first, at most
   * DELIVERIES_TOGETHER_MAX. Those of types that this version does not know are left to another one.
   * @param without ids of deliveries to leave out
   */
  async listDue(webhook: string, now: number, without: readonly string[]): Promise<PendingWebhookDelivery[]> {
    return all(prepared(this.#pool))`
      select id, tenant, user_id as "userId", type, created_at as "createdAt", due_at as "dueAt", attempts,
        payload, facts, webhook as "webhookId", trace
      from webhook_deliveries
      where webhook = ${webhook} and status = 'pending' and due_at <= ${new Date(now)}
        and type = any(${WEBHOOK_EVENTS}) and id <> all(${without}::uuid[])
      order by due_at limit ${raw(DELIVERIES_TOGETHER_MAX)}`;
  }

  /** Stores the body, which every attempt sends. */
  keepPayload(delivery: Kept['delivery'], rendered: Rendered): Promise<void> {
    return this.#keeps.call({ delivery, ...rendered });
  }

  /** Records an attempt, unless another worker has recorded it. */
  record(attempted: Attempted, { status, reason, ...result }: AttemptRecord): Promise<void> {
    if (status === 'sent') return this.#successes.call({ ...attempted, ...result });
    return recordFailure(this.#pool, attempted, { status, reason, ...result });
  }
}

async function keepAll(db: Queryable, given: readonly Kept[]): Promise<undefined[]> {
  const shown = given.filter((one) => one.shown !== undefined);
  // Rows are locked in the order of the key, as the relay locks them, so that neither waits for the other.
  await execute(prepared(db))`
    with given as (
      select webhook, subject, max(sequence) as sequence from unnest(
        ${shown.map(({ delivery }) => delivery.webhookId)}::uuid[],
        ${shown.map((one) => one.shown!.subject)}::uuid[],
        ${shown.map((one) => one.shown!.sequence)}::int8[]
      ) as row (webhook, subject, sequence) group by 1, 2
    ), locked as (
      select webhook, subject, given.sequence from webhook_windows join given using (webhook, subject)
      where coalesce(shown, 0) < given.sequence order by 1, 2 for no key update of webhook_windows
    ), noted as (
      update webhook_windows as latest set shown = locked.sequence from locked
      where latest.webhook = locked.webhook and latest.subject = locked.subject
    )
    update webhook_deliveries as delivery set payload = body
    from unnest(
      ${given.map(({ delivery }) => delivery.id)}::uuid[], ${given.map(({ body }) => body)}::text[]
    ) as row (id, body)
    where ${areOf(given.map(({ delivery }) => delivery.id))} and delivery.id = row.id`;
  return given.map(() => undefined);
}

async function recordSuccesses(db: Queryable, attempts: readonly Success[]): Promise<undefined[]> {
  const ids = attempts.map(({ id }) => id);
  await execute(prepared(db))`
    with healthy as (
      delete from webhook_failures where webhook = any(${attempts.map(({ webhookId }) => webhookId)})
    )
    update webhook_deliveries as delivery
    set status = 'sent', reason = null, due_at = ${INSTANT(sql`row.due_at`)}, finished_at = row.begun_at,
      attempts = row.attempts + 1, request = row.request, response = row.response, log = log || row.line
    from unnest(
      ${ids}::uuid[], ${attempts.map((one) => one.attempts)}::int4[],
      ${attempts.map((one) => one.dueAt)}::float8[],
      ${attempts.map((one) => one.line.at)}::timestamptz[],
      ${attempts.map((one) => JSON.stringify(one.request))}::jsonb[],
      ${attempts.map((one) => one.response && JSON.stringify(one.response))}::jsonb[],
      ${attempts.map((one) => JSON.stringify([one.line]))}::jsonb[]
    ) as row (id, attempts, due_at, begun_at, request, response, line)
    where ${areOf(ids)} and delivery.id = row.id and delivery.attempts = row.attempts
      and delivery.status = 'pending'`;
  return attempts.map(() => undefined);
}

async function recordFailure(
  db: Queryable,
  { id, attempts, webhookId }: Attempted,
  { status, reason, dueAt, request, response, line }: AttemptRecord,
): Promise<void> {
  await execute(prepared(db))`
    with failing as (
      insert into webhook_failures (webhook, failing_since) values (${webhookId}, ${line.at})
      on conflict (webhook) do nothing
    )
    update webhook_deliveries as delivery
    set status = ${status}, reason = ${reason}, due_at = ${new Date(dueAt)}, attempts = attempts + 1,
      request = ${JSON.stringify(request)}, response = ${response && JSON.stringify(response)},
      log = log || ${JSON.stringify([line])}::jsonb,
      finished_at = ${status === 'pending' ? null : line.at}
    where ${areOf([id])} and attempts = ${attempts} and delivery.status = 'pending'`;
}

/** Ends deliveries without sending them. */
export async function dropDeliveries(
  db: Queryable,
  ids: readonly string[],
  reason: string,
  now: number,
): Promise<void> {
  await execute(db)`
    update webhook_deliveries as delivery
    set status = 'dropped', reason = ${reason}, finished_at = ${new Date(now)}
    where ${areOf(ids)} and status = 'pending'`;
}

/** When the present series of failures of a webhook began; null if its last delivery succeeded. */
export const findFailingSince = (db: Queryable, webhook: string): Promise<Date | null> =>
  value(db)`select failing_since as since from webhook_failures where webhook = ${webhook}`;

export async function forgetFailures(db: Queryable, webhooks: string[]): Promise<void> {
  await execute(db)`delete from webhook_failures where webhook = any(${webhooks})`;
}
