import type { Author } from '../access/audit.ts';
import type { PoolClient, Queryable } from '../pool.ts';
import { MILLISECONDS } from '../sql.ts';
import { HAS_ROWS } from './erasureRows.ts';
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
  await client.query(
    `insert into renames (tenant, from_id, to_id, requested_at, actor, actor_name, reason)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [tenant, userId, newId, new Date(now), actor, actorName ?? null, reason],
  );
}

const COLUMNS = 'tenant, from_id as "userId", to_id as "newId"';

/** The order of which an id is part, the present one or the new one; null if there is none. */
export async function findRename(db: Queryable, { tenant, userId }: UserKey): Promise<RenameOrder | null> {
  const { rows } = await db.query<RenameOrder>(
    `select ${COLUMNS} from renames where tenant = $1 and $2 in (from_id, to_id)`,
    [tenant, userId],
  );
  return rows[0] ?? null;
}

/** Orders that are not complete, the oldest first. */
export async function listRenames(db: Queryable): Promise<RenameOrder[]> {
  const { rows } = await db.query<RenameOrder>(
    `select ${COLUMNS} from renames order by requested_at, tenant, from_id`,
  );
  return rows;
}

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
export async function lockRename(
  client: PoolClient,
  { tenant, userId, newId }: RenameOrder,
): Promise<StoredRename | null> {
  const { rows } = await client.query<StoredRename>(
    `select jsonb_build_object('actor', actor, 'actorName', actor_name, 'now', ${MILLISECONDS('requested_at')}) as author,
       reason, is_done as "isDone" from renames
     where tenant = $1 and from_id = $2 and to_id = $3 for update skip locked`,
    [tenant, userId, newId],
  );
  return rows[0] ?? null;
}

export async function markRenamed(client: PoolClient, { tenant, userId }: RenameOrder): Promise<void> {
  await client.query('update renames set is_done = true where tenant = $1 and from_id = $2', [
    tenant,
    userId,
  ]);
}

export async function deleteRename(db: Queryable, { tenant, userId, newId }: RenameOrder): Promise<void> {
  await db.query('delete from renames where tenant = $1 and from_id = $2 and to_id = $3', [
    tenant,
    userId,
    newId,
  ]);
}

/** New ids of users of a tenant whose rows do not have them yet. */
export async function listNewIds(db: Queryable, tenant: number): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    'select to_id as id from renames where tenant = $1 and not is_done',
    [tenant],
  );
  return rows.map(({ id }) => id);
}

/** Ids that users had before, by present id. Users without one are absent. */
export async function readFormerIds(
  db: Queryable,
  tenant: number,
  userIds: readonly string[],
): Promise<Map<string, string[]>> {
  const { rows } = await db.query<{ userId: string; formerIds: string[] }>({
    name: 'former ids of users',
    text: `select user_id as "userId", array_agg(former_id) as "formerIds" from former_user_ids
      where tenant = $1 and user_id = any($2) group by 1`,
    values: [tenant, userIds],
  });
  return new Map(rows.map(({ userId, formerIds }) => [userId, formerIds]));
}

/** Notes the id that a user had. The rows of the user have the new id already. */
export async function addFormerId(
  client: PoolClient,
  { tenant, userId, newId }: RenameOrder,
  now: number,
): Promise<void> {
  await client.query(
    `insert into former_user_ids (tenant, user_id, former_id, renamed_at) values ($1, $2, $3, $4)
     on conflict do nothing`,
    [tenant, newId, userId, new Date(now)],
  );
}

/** Whether the user with the new id had the other one before. */
export async function hasFormerId(db: Queryable, { tenant, userId, newId }: RenameOrder): Promise<boolean> {
  const { rowCount } = await db.query(
    'select from former_user_ids where tenant = $1 and user_id = $2 and former_id = $3',
    [tenant, newId, userId],
  );
  return rowCount === 1;
}

/** The present id of the last user who had an id before; null if nobody did. */
export async function findPresentId(db: Queryable, { tenant, userId }: UserKey): Promise<string | null> {
  const { rows } = await db.query<{ id: string }>(
    `select user_id as id from former_user_ids where tenant = $1 and former_id = $2
     order by renamed_at desc, user_id limit 1`,
    [tenant, userId],
  );
  return rows[0]?.id ?? null;
}

/** Number of the advisory lock, beside that of the tenant. Every version of laurel must use the same one. */
const ORDERS_LOCK = 728_193_548;

/** Lets orders about users of a tenant, to erase or to rename them, be checked and stored one at a time. */
export async function lockOrders(client: PoolClient, tenant: number): Promise<void> {
  await client.query('select pg_advisory_xact_lock($1, $2)', [ORDERS_LOCK, tenant]);
}

/** Whether the id belongs to anybody or anything: then no user may get it. */
export async function isIdTaken(db: Queryable, { tenant, userId }: UserKey): Promise<boolean> {
  const { rows } = await db.query<{ taken: boolean }>(`select ${HAS_ROWS} as taken`, [tenant, userId]);
  return rows[0]!.taken;
}
