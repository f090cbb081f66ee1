import type { PoolClient, Queryable } from '../pool.ts';
import type { UserKey } from '../users/userMap.ts';

export type HeldStatus = 'held' | 'approved' | 'rejected' | 'expired';

export interface NewHeldEvent {
  eventId: string;
  userId: string;
  /** Number. */
  metric: number;
  value: number;
  /** By key. */
  attributes: Record<string, string>;
  guard: string | null;
  heldAt: Date;
}

export interface HeldEventRow extends NewHeldEvent {
  status: HeldStatus;
  decidedAt: Date | null;
  reason: string | null;
}

const COLUMNS = `event_id as "eventId", user_id as "userId", metric, value, attributes, guard, held_at as "heldAt", status,
  decided_at as "decidedAt", reason`;

/** @returns false if the event is known: then nothing changes */
export async function insertHeldEvent(
  db: Queryable,
  tenant: number,
  event: NewHeldEvent,
  fingerprint: string | null,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `insert into held_events (tenant, event_id, user_id, metric, value, attributes, guard, fingerprint, held_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict do nothing`,
    [
      tenant,
      event.eventId,
      event.userId,
      event.metric,
      event.value,
      event.attributes,
      event.guard,
      fingerprint,
      event.heldAt,
    ],
  );
  return rowCount !== 0;
}

/** Locks an event until the end of the transaction. */
export async function lockHeldEvent(
  client: PoolClient,
  tenant: number,
  eventId: string,
): Promise<HeldEventRow | null> {
  const { rows } = await client.query<HeldEventRow>(
    `select ${COLUMNS} from held_events where tenant = $1 and event_id = $2 for update`,
    [tenant, eventId],
  );
  return rows[0] ?? null;
}

export async function decideHeldEvent(
  client: PoolClient,
  tenant: number,
  { eventId }: HeldEventRow,
  { status, decidedAt, reason }: Pick<HeldEventRow, 'status' | 'decidedAt' | 'reason'>,
): Promise<void> {
  await client.query(
    `update held_events set status = $3, decided_at = $4, reason = $5 where tenant = $1 and event_id = $2`,
    [tenant, eventId, status, decidedAt, reason],
  );
}

export interface HeldEventFilter {
  status: HeldStatus;
  userId: string | null;
  /** Number. */
  metric: number | null;
  guard: string | null;
  since: Date | null;
  /** Of the last event of the page before. */
  position: { heldAt: Date; eventId: string } | null;
  limit: number;
}

/** The latest first. */
export async function listHeldEvents(
  db: Queryable,
  tenant: number,
  { status, userId, metric, guard, since, position, limit }: HeldEventFilter,
): Promise<HeldEventRow[]> {
  const { rows } = await db.query<HeldEventRow>(
    `select ${COLUMNS} from held_events
     where tenant = $1 and status = $2 and ($3::text is null or user_id = $3) and ($4::integer is null or metric = $4)
       and ($5::text is null or guard = $5) and held_at >= coalesce($6::timestamptz, '-infinity')
       and (held_at, event_id) < (coalesce($7::timestamptz, 'infinity'), coalesce($8::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
     order by held_at desc, event_id desc limit $9`,
    [tenant, status, userId, metric, guard, since, position?.heldAt, position?.eventId, limit],
  );
  return rows;
}

/** Number of events of a tenant that wait for a review, at most `max`. */
export async function countHeldEvents(db: Queryable, tenant: number, max: number): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::integer as count
     from (select from held_events where tenant = $1 and status = 'held' limit $2) as waiting`,
    [tenant, max],
  );
  return rows[0]!.count;
}

/**
 * Lets events that were held before an instant expire, and deletes those that were held before another one.
 * @returns number of events that have expired
 */
export async function expireHeldEvents(db: Queryable, before: Date, deletedBefore: Date): Promise<number> {
  const { rowCount } = await db.query(
    `update held_events set status = 'expired' where status = 'held' and held_at < $1`,
    [before],
  );
  await db.query('delete from held_events where held_at < $1', [deletedBefore]);
  return rowCount ?? 0;
}

/** Fingerprints of the keys of a user's held events. */
export async function listHeldKeysOfUser(client: PoolClient, { tenant, userId }: UserKey): Promise<string[]> {
  const { rows } = await client.query<{ fingerprint: string }>(
    `select fingerprint::text from held_events where tenant = $1 and user_id = $2 and fingerprint is not null`,
    [tenant, userId],
  );
  return rows.map(({ fingerprint }) => fingerprint);
}
