import { WEBHOOK_THROTTLE_MS } from '../../base/limits.ts';
import { BulkStatement } from '../bulkInsert.ts';
import type { PoolClient, Queryable } from '../pool.ts';
import { all, execute, prepared } from '../rows.ts';
import { INSTANT, MILLISECONDS, raw, sql } from '../sql.ts';

/**
 * Deliveries about something that changes continuously, at most one in WEBHOOK_THROTTLE_MS for each webhook
 * and subject. The first change is sent at once. Changes until the end of the interval are sent together at
 * its end.
 */

/**
 * A subject without its type and user: a points system, or a group in a run of a leaderboard. It is looked up
 * for every event, so it is a number where possible.
 */
export type Topic = number | string;

/**
 * A change to report. The body is rendered from `facts` when the delivery is sent. Instants are milliseconds
 * since 1970.
 */
export interface ThrottledDelivery {
  /** Hash of the event type and of what the deliveries are about. */
  subject: string;
  /** For the planner; not stored. */
  topic: Topic;
  /** Written only if no delivery covers the change. */
  id: string;
  createdAt: number;
  tenant: number;
  webhook: string;
  userId: string | null;
  type: string;
  facts: string;
  /** When it was planned. It is due then, or at the end of the interval of the delivery before. */
  plannedAt: number;
}

/** The latest delivery about a subject. */
export interface LatestDelivery {
  webhook: string;
  subject: string;
  /** When it is due, ms. */
  dueAt: number;
}

/**
 * A delivery that is due in less than this may be rendered before this transaction ends, so it does not cover
 * the change. Longer than such a transaction takes.
 */
export const COVER_MARGIN_MS = 5_000;

/**
 * A batch that is written again opens no interval for a delivery that it has written before: further changes
 * would wait for the end of an interval at which nothing is sent. A scalar, so that PostgreSQL looks up the
 * few deliveries that are not covered instead of joining all.
 */
const IS_NEW = `(select true from webhook_deliveries as written
  where written.id = known.id and written.created_at = ${INSTANT(sql`known.created_at`)}) is null`;

// Rows are sorted, so that two relays lock them in the same order. Most changes are covered, and lock
// nothing.
const DELIVERIES = new BulkStatement<ThrottledDelivery, LatestDelivery>(
  {
    webhook: 'uuid',
    subject: 'uuid',
    id: 'uuid',
    createdAt: 'float8',
    tenant: 'int4',
    userId: 'text',
    type: 'text',
    facts: 'jsonb',
    plannedAt: 'float8',
  },
  ({ rows }) => `with given as (
      select * from ${rows}
    ), known as (
      select *, (
        select due_at from webhook_windows as latest where latest.webhook = given.webhook and latest.subject = given.subject
      ) as known_due_at
      from given
    ), opened as (
      insert into webhook_windows as latest (webhook, subject, due_at)
      select webhook, subject, ${INSTANT(sql`planned_at`)} from known
      where (known_due_at < ${INSTANT(sql`planned_at`)} + interval '${COVER_MARGIN_MS} milliseconds') is not false
        and ${IS_NEW}
      order by 1, 2
      on conflict (webhook, subject) do update
        set due_at = greatest(latest.due_at + interval '${WEBHOOK_THROTTLE_MS} milliseconds', excluded.due_at)
        where latest.due_at < excluded.due_at + interval '${COVER_MARGIN_MS} milliseconds'
      returning webhook, subject, due_at
    ), written as (
      insert into webhook_deliveries (id, created_at, tenant, webhook, user_id, type, due_at, facts)
      select id, ${INSTANT(sql`created_at`)}, tenant, webhook, user_id, type, due_at, facts
      from given join opened using (webhook, subject) order by 1
      on conflict do nothing
    )
    select webhook, subject, ${MILLISECONDS('coalesce(opened.due_at, known_due_at)')} as "dueAt"
    from known left join opened using (webhook, subject)
    where coalesce(opened.due_at, known_due_at) is not null`,
);

/**
 * Writes a delivery for each change that no other delivery covers. A webhook and subject occur at most once.
 * @returns the latest delivery about each subject, unless another relay is just writing it
 */
export function writeThrottled(
  client: PoolClient,
  deliveries: ThrottledDelivery[],
): Promise<LatestDelivery[]> {
  return DELIVERIES.run(client, deliveries, false);
}

/** Windows that one statement examines. */
const WINDOWS_AT_ONCE = 20_000;
const FIRST_UUID = '00000000-0000-0000-0000-000000000000';

/**
 * Deletes windows whose latest delivery was due before an instant (ms), in the order of the key, in short
 * statements. An index on due_at would find them sooner, but every delivery would have to write it.
 */
export async function dropOldWindows(db: Queryable, before: number, signal?: AbortSignal): Promise<void> {
  for (let last = { webhook: FIRST_UUID, subject: FIRST_UUID }; !signal?.aborted; ) {
    const rows = await all(prepared(db))<typeof last>`
      with part as (
        select webhook, subject from webhook_windows
        where (webhook, subject) > (${last.webhook}::uuid, ${last.subject}::uuid)
        order by 1, 2 limit ${raw(WINDOWS_AT_ONCE)}
      ), dropped as (
        delete from webhook_windows as latest using part
        where latest.webhook = part.webhook and latest.subject = part.subject and due_at < ${new Date(before)}
      )
      select webhook, subject from part order by 1 desc, 2 desc limit 1`;
    if (rows.length === 0) return;
    last = rows[0]!;
  }
}

/** A subject of throttled deliveries before and after its user got another id, as in `webhook_windows`. */
export interface RenamedSubject {
  before: string;
  after: string;
}

/**
 * Lets the deliveries about a user, and the next ones, know each other under the new id, so that none repeats
 * what another has shown, and forgetSubjects finds them. The rows of the user have the new id already.
 */
export async function renameSubjects(
  client: PoolClient,
  { tenant, newId }: { tenant: number; newId: string },
  subjects: readonly RenamedSubject[],
): Promise<void> {
  const renamed = JSON.stringify(subjects);
  await execute(client)`
    update webhook_windows set subject = renamed.after
    from jsonb_to_recordset(${renamed}::jsonb) as renamed (before uuid, after uuid)
    where subject = renamed.before and webhook in (select id from entities where tenant = ${tenant}
      and kind = 'webhooks')`;
  await execute(client)`
    update webhook_deliveries set facts = jsonb_set(facts, '{subject}', to_jsonb(renamed.after))
    from jsonb_to_recordset(${renamed}::jsonb) as renamed (before text, after text)
    where tenant = ${tenant} and user_id = ${newId} and facts ->> 'subject' = renamed.before`;
}

/**
 * Deletes the delivery windows of a user who is being erased. A later user with the same id has none.
 * Call it before the deliveries of the user are deleted: the statement finds the windows through them.
 */
export const forgetSubjects = (
  client: PoolClient,
  { tenant, userId }: { tenant: number; userId: string },
): Promise<unknown> =>
  execute(client)`
    delete from webhook_windows where (webhook, subject) in (
      select webhook, (facts ->> 'subject')::uuid from webhook_deliveries
      where tenant = ${tenant} and user_id = ${userId} and facts ->> 'subject' is not null)`;
