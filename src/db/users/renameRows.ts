import type { Author } from '../access/audit.ts';
import type { PoolClient, Queryable } from '../pool.ts';
import { all, column, execute, first, prepared, value } from '../rows.ts';
import { MILLISECONDS, sql } from '../sql.ts';
import { hasRows } from './erasureRows.ts';
import type { UserKey } from './userMap.ts';

/** A user who is getting another id. */
export interface RenameOrder extends UserKey {
  newId: string;
}

/** Stores an order. Neither id is part of another one. */
export async function insertRename(
  client: PoolClient,
  { tenant, userId, newId }: RenameOrder,
  reason: string | null,
  { actor, actorName, now }: Author,
): Promise<void> {
  await execute(client)`
    insert into renames (tenant, from_id, to_id, requested_at, actor, actor_name, reason)
    values (${tenant}, ${userId}, ${newId}, ${new Date(now)}, ${actor}, ${actorName ?? null}, ${reason})`;
}

const COLUMNS = sql`tenant, from_id as "userId", to_id as "newId"`;

/** The order of which an id is part, the present one or the new one; null if there is none. */
export const findRename = (db: Queryable, { tenant, userId }: UserKey): Promise<RenameOrder | null> =>
  first(db)`select ${COLUMNS} from renames where tenant = ${tenant} and ${userId} in (from_id, to_id)`;

/** Orders that are not complete, the oldest first. */
export const listRenames = (db: Queryable): Promise<RenameOrder[]> =>
  all(db)`select ${COLUMNS} from renames order by requested_at, tenant, from_id`;

/** An order as it was given. */
export interface StoredRename {
  author: Author;
  reason: string | null;
  isDone: boolean;
}

/**
 * Locks an order until the end of the transaction. @returns null if it does not exist or another process has
 * locked it
 */
export const lockRename = (
  client: PoolClient,
  { tenant, userId, newId }: RenameOrder,
): Promise<StoredRename | null> =>
  first(client)`
    select jsonb_build_object('actor', actor, 'actorName', actor_name, 'now',
      ${MILLISECONDS('requested_at')}) as author, reason, is_done as "isDone" from renames
    where tenant = ${tenant} and from_id = ${userId} and to_id = ${newId} for update skip locked`;

export async function markRenamed(client: PoolClient, { tenant, userId }: RenameOrder): Promise<void> {
  await execute(client)`update renames set is_done = true where tenant = ${tenant} and from_id = ${userId}`;
}

export async function deleteRename(db: Queryable, { tenant, userId, newId }: RenameOrder): Promise<void> {
  await execute(db)`
    delete from renames where tenant = ${tenant} and from_id = ${userId} and to_id = ${newId}`;
}

/** New ids of users of a tenant whose rows do not have them yet. */
export const listNewIds = (db: Queryable, tenant: number): Promise<string[]> =>
  column(db)`select to_id as id from renames where tenant = ${tenant} and not is_done`;

/** Ids that users had before, by present id. Users without one are absent. */
export async function readFormerIds(
  db: Queryable,
  tenant: number,
  userIds: readonly string[],
): Promise<Map<string, string[]>> {
  const rows = await all(prepared(db))<{ userId: string; formerIds: string[] }>`
    select user_id as "userId", array_agg(former_id) as "formerIds" from former_user_ids
    where tenant = ${tenant} and user_id = any(${userIds}) group by 1`;
  return new Map(rows.map(({ userId, formerIds }) => [userId, formerIds]));
}

/** Notes the id that a user had. The rows of the user have the new id already. */
export async function addFormerId(
  client: PoolClient,
  { tenant, userId, newId }: RenameOrder,
  now: number,
): Promise<void> {
  await execute(client)`
    insert into former_user_ids (tenant, user_id, former_id, renamed_at)
    values (${tenant}, ${newId}, ${userId}, ${new Date(now)})
    on conflict do nothing`;
}

/** Whether the user with the new id had the other one before. */
export async function hasFormerId(db: Queryable, { tenant, userId, newId }: RenameOrder): Promise<boolean> {
  return (
    (await execute(db)`
      select from former_user_ids where tenant = ${tenant} and user_id = ${newId} and former_id = ${userId}`) ===
    1
  );
}

/** The present id of the last user who had an id before; null if nobody did. */
export const findPresentId = (db: Queryable, { tenant, userId }: UserKey): Promise<string | null> =>
  value(db)`
    select user_id as id from former_user_ids where tenant = ${tenant} and former_id = ${userId}
    order by renamed_at desc, user_id limit 1`;

/** Number of the advisory lock, beside that of the tenant. Every version of laurel must use the same one. */
const ORDERS_LOCK = 728_193_548;

/** Lets orders about users of a tenant, to erase or to rename them, be checked and stored one at a time. */
export async function lockOrders(client: PoolClient, tenant: number): Promise<void> {
  await execute(client)`select pg_advisory_xact_lock(${ORDERS_LOCK}, ${tenant})`;
}

/** Whether the id belongs to anybody or anything: then no user may get it. */
export const isIdTaken = (db: Queryable, user: UserKey): Promise<boolean> =>
  value(db)`select ${hasRows(user)} as taken`;
