import type { PoolClient, Queryable } from '../pool.ts';

export type HeldStatus = 'held' | 'approving' | 'approved' | 'rejected' | 'expired';

export interface NewHeldEvent {
  eventId: string;
  userId: string;
  /** Number. */
  metric: number;
  value: number;
  /** By key. */
  attributes: Record<string, string>;
  happenedAt: Date;
  guard: string | null;
  heldAt: Date;
}

export interface Decision {
  status: HeldStatus;
  decidedAt: Date | null;
  reason: string | null;
  actor: string | null;
  actorName: string | null;
}

export type HeldEventRow = NewHeldEvent & Decision;

export interface ListedHeldEventRow extends HeldEventRow {
  /** null if the user has no name, or no event that counted. */
  userName: string | null;
}

export const UNDECIDED: Decision = {
  status: 'held',
  decidedAt: null,
  reason: null,
  actor: null,
  actorName: null,
};

const COLUMNS = `event_id as "eventId", user_id as "userId", metric, value, attributes, happened_at as "happenedAt", guard,
  held_at as "heldAt", status, decided_at as "decidedAt", reason, actor, actor_name as "actorName"`;

/** Locks the number of waiting events of a user until the end of the transaction. */
export async function lockWaitingEvents(client: PoolClient, tenant: number, userId: string): Promise<void> {
  await client.query('select pg_advisory_xact_lock(hashtextextended($1, $2))', [userId, tenant]);
}

/**
 * Stores an event, unless the user has `waitingMax` waiting ones.
 * @returns false if nothing changes, also because the event is stored already
 */
export async function insertHeldEvent(
  client: PoolClient,
  tenant: number,
  event: NewHeldEvent,
  fingerprint: string | null,
  waitingMax: number,
): Promise<boolean> {
  const { rowCount } = await client.query(
    `insert into held_events
       (tenant, event_id, user_id, metric, value, attributes, happened_at, guard, fingerprint, held_at)
     select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10
     where (select count(*) from held_events where tenant = $1 and user_id = $3 and status = 'held') < $11
     on conflict do nothing`,
    [
      tenant,
      event.eventId,
      event.userId,
      event.metric,
      event.value,
      event.attributes,
      event.happenedAt,
      event.guard,
      fingerprint,
      event.heldAt,
      waitingMax,
    ],
  );
  return rowCount !== 0;
}

export async function isHeldEvent(db: Queryable, tenant: number, eventId: string): Promise<boolean> {
  const { rowCount } = await db.query('select from held_events where tenant = $1 and event_id = $2', [
    tenant,
    eventId,
  ]);
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

/** Decides on those of the events that are in the status `from`. */
export async function decideHeldEvents(
  db: Queryable,
  tenant: number,
  { ids, from }: { ids: readonly string[]; from: HeldStatus },
  { status, decidedAt, reason, actor, actorName }: Decision,
): Promise<void> {
  await db.query(
    `update held_events set status = $4, decided_at = $5, reason = $6, actor = $7, actor_name = $8
     where tenant = $1 and event_id = any($2) and status = $3`,
    [tenant, ids, from, status, decidedAt, reason, actor, actorName],
  );
}

/** Events whose approval began before an instant and has not ended, the oldest first. */
export async function listApproving(
  db: Queryable,
  before: Date,
  limit: number,
): Promise<{ tenant: number; eventId: string }[]> {
  const { rows } = await db.query<{ tenant: number; eventId: string }>(
    `select tenant, event_id as "eventId" from held_events
     where status = 'approving' and decided_at < $1 order by decided_at limit $2`,
    [before, limit],
  );
  return rows;
}

/** Conditions; null: any. */
export interface HeldEventFilter {
  status: HeldStatus;
  userId: string | null;
  /** Number. */
  metric: number | null;
  guard: string | null;
  /** When the event was held: at this instant or later, and before the other one. */
  since: Date | null;
  until: Date | null;
  minValue: number | null;
  maxValue: number | null;
}

/** A page of held events. `after`: the last event of the page before. */
export interface HeldEventPageRange {
  after: { heldAt: Date; eventId: string } | null;
  limit: number;
}

/** Of `held_events`, with the parameters of `filterParameters`. */
const MATCHES = `tenant = $1 and status = $2 and ($3::text is null or user_id = $3)
  and ($4::integer is null or metric = $4) and ($5::text is null or guard = $5)
  and held_at >= coalesce($6::timestamptz, '-infinity') and held_at < coalesce($7::timestamptz, 'infinity')
  and ($8::float8 is null or value >= $8) and ($9::float8 is null or value <= $9)`;

const filterParameters = (tenant: number, filter: HeldEventFilter): unknown[] => {
  const { status, userId, metric, guard, since, until, minValue, maxValue } = filter;
  return [tenant, status, userId, metric, guard, since, until, minValue, maxValue];
};

/** The latest first. */
export async function listHeldEvents(
  db: Queryable,
  tenant: number,
  filter: HeldEventFilter,
  { after, limit }: HeldEventPageRange,
): Promise<ListedHeldEventRow[]> {
  const { rows } = await db.query<ListedHeldEventRow>(
    `select ${COLUMNS}, users.name as "userName" from (
       select * from held_events where ${MATCHES} and (held_at, event_id) <
         (coalesce($10::timestamptz, 'infinity'), coalesce($11::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
       order by held_at desc, event_id desc limit $12
     ) as held left join users using (tenant, user_id)
     order by held_at desc, event_id desc`,
    [...filterParameters(tenant, filter), after?.heldAt, after?.eventId, limit],
  );
  return rows;
}

/** The oldest first. */
export async function selectHeldEvents(
  db: Queryable,
  tenant: number,
  filter: HeldEventFilter,
  { after, limit }: HeldEventPageRange,
): Promise<Pick<HeldEventRow, 'eventId' | 'heldAt'>[]> {
  const { rows } = await db.query<Pick<HeldEventRow, 'eventId' | 'heldAt'>>(
    `select event_id as "eventId", held_at as "heldAt" from held_events where ${MATCHES} and (held_at, event_id) >
       (coalesce($10::timestamptz, '-infinity'), coalesce($11::uuid, '00000000-0000-0000-0000-000000000000'))
     order by held_at, event_id limit $12`,
    [...filterParameters(tenant, filter), after?.heldAt, after?.eventId, limit],
  );
  return rows;
}

/** Events of one metric. */
export interface HeldEventSum {
  metric: number;
  events: number;
  sum: number;
  lowest: number;
  highest: number;
}

/** Sums up at most `max` events, the oldest ones. `latest`: when the last of them was held. */
export async function sumHeldEvents(
  db: Queryable,
  tenant: number,
  filter: HeldEventFilter,
  max: number,
): Promise<{ users: number; latest: Date | null; metrics: HeldEventSum[] }> {
  const { rows } = await db.query<HeldEventSum & { users: number; latest: Date }>(
    `select metric, count(*)::integer as events, count(distinct user_id)::integer as users,
       sum(value) as sum, min(value) as lowest, max(value) as highest, max(held_at) as latest
     from (select metric, user_id, value, held_at from held_events where ${MATCHES} order by held_at limit $10) as held
     group by grouping sets ((), (metric)) order by metric nulls first`,
    [...filterParameters(tenant, filter), max],
  );
  const [all, ...metrics] = rows;
  return { users: all?.users ?? 0, latest: all?.latest ?? null, metrics };
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

/** Numbers of events that wait for a review, and of those that are being approved, of all tenants. */
export async function countUndecided(db: Queryable): Promise<Record<'held' | 'approving', number>> {
  const { rows } = await db.query<{ held: number; approving: number }>(
    `select count(*) filter (where status = 'held')::float8 as held,
       count(*) filter (where status = 'approving')::float8 as approving
     from held_events where status in ('held', 'approving')`,
  );
  return rows[0]!;
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
  await db.query(`delete from held_events where held_at < $1 and status <> 'approving'`, [deletedBefore]);
  return rowCount ?? 0;
}
