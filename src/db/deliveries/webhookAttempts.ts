import { Batcher, type BatcherOptions } from '../../base/batcher.ts';
import { instantOfDelivery } from '../../base/ids.ts';
import { DELIVERIES_TOGETHER_MAX } from '../../base/limits.ts';
import { WEBHOOK_EVENTS, type WebhookEvent } from '../../contract/webhooks.ts';
import type { Webhook } from '../../rules/config.ts';
import { numbers, texts } from '../bulkInsert.ts';
import type { Pool, Queryable } from '../pool.ts';
import { isPostgresOutage } from '../postgresAvailability.ts';
import { INSTANT } from '../sql.ts';

/** Primary key of a delivery: its id and its creation, which determines the partition. */
export const keyOf = (id: string): [string, Date] => [id, new Date(instantOfDelivery(id))];

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
 * The instants of both keys in the statements let PostgreSQL read only the partitions of these deliveries.
 */
const keysOf = (ids: readonly string[]): [string[], Date[]] => {
  const instants = new Set(ids.map(instantOfDelivery));
  return [[...ids], Array.from(instants, (instant) => new Date(instant))];
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
    const { rows } = await this.#pool.query<{ body: Webhook }>({
      name: 'find webhook',
      text: `select body from entities where id = $1 and kind = 'webhooks'`,
      values: [id],
    });
    return rows[0]?.body ?? null;
  }

  /**
   * Deliveries of a webhook that are due at `now` (ms), the longest due first, at most
   * DELIVERIES_TOGETHER_MAX. Those of types that this version does not know are left to another one.
   * @param without ids of deliveries to leave out
   */
  async listDue(webhook: string, now: number, without: readonly string[]): Promise<PendingWebhookDelivery[]> {
    const { rows } = await this.#pool.query<PendingWebhookDelivery>({
      name: 'due deliveries of a webhook',
      text: `select id, tenant, user_id as "userId", type, created_at as "createdAt", due_at as "dueAt", attempts, payload, facts,
          webhook as "webhookId", trace
        from webhook_deliveries
        where webhook = $1 and status = 'pending' and due_at <= $2 and type = any($3) and id <> all($4::uuid[])
        order by due_at limit ${DELIVERIES_TOGETHER_MAX}`,
      values: [webhook, new Date(now), WEBHOOK_EVENTS, without],
    });
    return rows;
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
  const kept = [...given];
  const shown = kept.filter((one) => one.shown !== undefined);
  await db.query({
    name: 'keep payloads',
    // Rows are locked in the order of the key, as the relay locks them, so that neither waits for the other.
    text: `with given as (
        select webhook, subject, max(sequence) as sequence
        from unnest($4::uuid[], $5::uuid[], $6::int8[]) as row (webhook, subject, sequence) group by 1, 2
      ), locked as (
        select webhook, subject, given.sequence from webhook_windows join given using (webhook, subject)
        where coalesce(shown, 0) < given.sequence order by 1, 2 for no key update of webhook_windows
      ), noted as (
        update webhook_windows as latest set shown = locked.sequence from locked
        where latest.webhook = locked.webhook and latest.subject = locked.subject
      )
      update webhook_deliveries as delivery set payload = body from unnest($1::uuid[], $3::text[]) as row (id, body)
      where delivery.id = any($1) and created_at = any($2) and delivery.id = row.id`,
    values: [
      ...keysOf(kept.map(({ delivery }) => delivery.id)),
      texts<Kept>(({ body }) => body)(kept),
      numbers<Kept>(({ delivery }) => delivery.webhookId)(shown),
      numbers<Kept>((one) => one.shown!.subject)(shown),
      numbers<Kept>((one) => one.shown!.sequence)(shown),
    ],
  });
  return kept.map(() => undefined);
}

async function recordSuccesses(db: Queryable, given: readonly Success[]): Promise<undefined[]> {
  const attempts = [...given];
  await db.query({
    name: 'record webhook successes',
    text: `with healthy as (
        delete from webhook_failures where webhook = any($3)
      )
      update webhook_deliveries as delivery set status = 'sent', reason = null, due_at = ${INSTANT('row.due_at')},
        finished_at = row.begun_at, attempts = row.attempts + 1, request = row.request, response = row.response,
        log = log || row.line
      from unnest($1::uuid[], $4::int4[], $5::float8[], $6::timestamptz[], $7::jsonb[], $8::jsonb[], $9::jsonb[])
        as row (id, attempts, due_at, begun_at, request, response, line)
      where delivery.id = any($1) and created_at = any($2) and delivery.id = row.id and delivery.attempts = row.attempts
        and status = 'pending'`,
    values: [
      ...keysOf(attempts.map(({ id }) => id)),
      [...new Set(attempts.map(({ webhookId }) => webhookId))],
      numbers<Success>((one) => one.attempts)(attempts),
      numbers<Success>((one) => one.dueAt)(attempts),
      texts<Success>((one) => one.line.at)(attempts),
      texts<Success>((one) => JSON.stringify(one.request))(attempts),
      texts<Success>((one) => one.response && JSON.stringify(one.response))(attempts),
      texts<Success>((one) => JSON.stringify([one.line]))(attempts),
    ],
  });
  return attempts.map(() => undefined);
}

async function recordFailure(
  db: Queryable,
  { id, attempts, webhookId }: Attempted,
  { status, reason, dueAt, request, response, line }: AttemptRecord,
): Promise<void> {
  await db.query({
    name: 'record webhook failure',
    text: `with failing as (
        insert into webhook_failures (webhook, failing_since) values ($3, $7) on conflict (webhook) do nothing
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

/** Ends deliveries without sending them. */
export async function dropDeliveries(
  db: Queryable,
  ids: readonly string[],
  reason: string,
  now: number,
): Promise<void> {
  await db.query(
    `update webhook_deliveries set status = 'dropped', reason = $3, finished_at = $4
     where id = any($1) and created_at = any($2) and status = 'pending'`,
    [...keysOf(ids), reason, new Date(now)],
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
