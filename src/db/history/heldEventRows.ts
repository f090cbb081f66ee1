import type { PoolClient, Queryable } from '../pool.ts';
import { all, execute, first, some, value } from '../rows.ts';
import { DECIMAL_SUM, raw, type Sql, sql } from '../sql.ts';

export type HeldStatus = 'held' | 'approving' | 'approved' | 'undone' | 'rejected' | 'expired';

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

const COLUMNS = sql`event_id as "eventId", user_id as "userId", metric, value, attributes,
  happened_at as "happenedAt", guard,
  held_at as "heldAt", status, decided_at as "decidedAt", reason, actor, actor_name as "actorName"`;

/** Locks the number of waiting events of a user until the end of the transaction. */
export async function lockWaitingEvents(client: PoolClient, tenant: number, userId: string): Promise<void> {
  await execute(client)`select pg_advisory_xact_lock(hashtextextended(${userId}, ${tenant}))`;
}

/**
 * Stores an event, unless the user has `waitingMax` waiting ones.
 * @returns false if nothing changes, also because the event is stored already
 */
export const insertHeldEvent = (
  client: PoolClient,
  tenant: number,
  event: NewHeldEvent,
  fingerprint: string | null,
  waitingMax: number,
): Promise<boolean> =>
  some(client)`
    insert into held_events
      (tenant, event_id, user_id, metric, value, attributes, happened_at, guard, fingerprint, held_at)
    select ${tenant}, ${event.eventId}, ${event.userId}, ${event.metric}, ${event.value},
      ${event.attributes}, ${event.happenedAt}, ${event.guard}, ${fingerprint}, ${event.heldAt}
    where (select count(*) from held_events where tenant = ${tenant} and user_id = ${event.userId}
      and status = 'held') < ${waitingMax}
    on conflict do nothing`;

export const isHeldEvent = (db: Queryable, tenant: number, eventId: string): Promise<boolean> =>
  some(db)`select from held_events where tenant = ${tenant} and event_id = ${eventId}`;

/** Locks an event until the end of the transaction. */
export const lockHeldEvent = (
  client: PoolClient,
  tenant: number,
  eventId: string,
): Promise<HeldEventRow | null> =>
  first(client)`
    select ${COLUMNS} from held_events where tenant = ${tenant} and event_id = ${eventId} for update`;

/** @returns null if no such event is or was held */
export const findHeldEvent = (db: Queryable, tenant: number, eventId: string): Promise<HeldEventRow | null> =>
  first(db)`select ${COLUMNS} from held_events where tenant = ${tenant} and event_id = ${eventId}`;

/** Says of an event that is undone that it is, if it was held. */
export async function markUndone(db: Queryable, tenant: number, eventId: string): Promise<void> {
  await execute(db)`
    update held_events set status = 'undone'
    where tenant = ${tenant} and event_id = ${eventId} and status = 'approved'`;
}

/** Decides on those of the events that are in the status `from`. */
export async function decideHeldEvents(
  db: Queryable,
  tenant: number,
  { ids, from }: { ids: readonly string[]; from: HeldStatus },
  { status, decidedAt, reason, actor, actorName }: Decision,
): Promise<void> {
  await execute(db)`
    update held_events set status = ${status}, decided_at = ${decidedAt}, reason = ${reason},
      actor = ${actor}, actor_name = ${actorName}
    where tenant = ${tenant} and event_id = any(${ids}) and status = ${from}`;
}

/** Events whose approval began before an instant and has not ended, the oldest first. */
export const listApproving = (
  db: Queryable,
  before: Date,
  limit: number,
): Promise<{ tenant: number; eventId: string }[]> =>
  all(db)`
    select tenant, event_id as "eventId" from held_events
    where status = 'approving' and decided_at < ${before} order by decided_at limit ${limit}`;

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
  /** When the event was decided on: at this instant or later, and before the other one. */
  decidedSince: Date | null;
  decidedUntil: Date | null;
  /** Only events with a positive value. */
  isPositive: boolean;
}

/** A page of held events. `after`: the last event of the page before. */
export interface HeldEventPageRange {
  after: { heldAt: Date; eventId: string } | null;
  limit: number;
}

const matches = (tenant: number, filter: HeldEventFilter): Sql => {
  const { status, userId, metric, guard, since, until, minValue, maxValue, isPositive } = filter;
  const { decidedSince, decidedUntil } = filter;
  return sql`
  tenant = ${tenant} and status = ${status} and (${userId}::text is null or user_id = ${userId})
  and (${metric}::integer is null or metric = ${metric}) and (${guard}::text is null or guard = ${guard})
  and held_at >= coalesce(${since}::timestamptz, '-infinity')
  and held_at < coalesce(${until}::timestamptz, 'infinity')
  and (${decidedSince}::timestamptz is null or decided_at >= ${decidedSince})
  and (${decidedUntil}::timestamptz is null or decided_at < ${decidedUntil})
  and (${minValue}::float8 is null or value >= ${minValue})
  and (${maxValue}::float8 is null or value <= ${maxValue}) and (value > 0 or not ${isPositive})`;
};

/** @param order desc: the latest first */
export function listHeldEvents(
  db: Queryable,
  tenant: number,
  filter: HeldEventFilter,
  { after, limit }: HeldEventPageRange,
  order: 'asc' | 'desc',
): Promise<ListedHeldEventRow[]> {
  const direction = raw(order);
  const beyond = raw(order === 'desc' ? '<' : '>');
  const position = sql`and (held_at, event_id) ${beyond} (${after?.heldAt}, ${after?.eventId}::uuid)`;
  return all(db)`
    select ${COLUMNS}, users.name as "userName" from (
      select * from held_events where ${matches(tenant, filter)} ${after === null ? raw('') : position}
      order by held_at ${direction}, event_id ${direction} limit ${limit}
    ) as held left join users using (tenant, user_id)
    order by held_at ${direction}, event_id ${direction}`;
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
  const [total, ...metrics] = await all(db)<HeldEventSum & { users: number; latest: Date }>`
    select metric, count(*)::integer as events, count(distinct user_id)::integer as users,
      ${DECIMAL_SUM('value')} as sum, min(value) as lowest, max(value) as highest, max(held_at) as latest
    from (
      select metric, user_id, value, held_at from held_events
      where ${matches(tenant, filter)} order by held_at limit ${max}
    ) as held
    group by grouping sets ((), (metric)) order by metric nulls first`;
  return { users: total?.users ?? 0, latest: total?.latest ?? null, metrics };
}

/** Number of events of a tenant that wait for a review, at most `max`. */
export const countHeldEvents = (db: Queryable, tenant: number, max: number): Promise<number> =>
  value(db)`
    select count(*)::integer as count
    from (select from held_events where tenant = ${tenant} and status = 'held' limit ${max}) as waiting`;

/** Numbers of events that wait for a review, and of those that are being approved, of all tenants. */
export async function countUndecided(db: Queryable): Promise<Record<'held' | 'approving', number>> {
  const [counts] = await all(db)<{ held: number; approving: number }>`
    select count(*) filter (where status = 'held')::float8 as held,
      count(*) filter (where status = 'approving')::float8 as approving
    from held_events where status in ('held', 'approving')`;
  return counts!;
}

/**
 * Lets events that were held before an instant expire, and deletes those that were held before another one.
 * @returns number of events that have expired
 */
export async function expireHeldEvents(db: Queryable, before: Date, deletedBefore: Date): Promise<number> {
  const expired = await execute(db)`
    update held_events set status = 'expired' where status = 'held' and held_at < ${before}`;
  await execute(db)`delete from held_events where held_at < ${deletedBefore} and status <> 'approving'`;
  return expired;
}
