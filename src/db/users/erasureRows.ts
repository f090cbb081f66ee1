import { type Author, writeAudit } from '../access/audit.ts';
import type { PoolClient, Queryable } from '../pool.ts';
import { MILLISECONDS, ORDINAL } from '../sql.ts';
import type { UserKey } from './userMap.ts';

/** Whether the user $2 of the tenant $1 exists or is being erased, or something names the user. */
export const HAS_ROWS = ['users', 'erasures', 'api_keys', 'held_events']
  .map((table) => `exists (select from ${table} where tenant = $1 and user_id = $2)`)
  .join(' or ');

/**
 * Requests the erasure of a user, in a transaction.
 * @returns false if the user is in none of the tables here, and not `isKnown`
 */
export async function insertErasure(
  client: PoolClient,
  { tenant, userId }: UserKey,
  isKnown: boolean,
  author: Author,
): Promise<boolean> {
  const { rows } = await client.query<{ isNew: boolean }>(
    `insert into erasures (tenant, user_id, requested_at) select $1, $2, $3
     where $4 or ${HAS_ROWS}
       or exists (select from entities where tenant = $1 and kind = 'pointsBoosts' and body ->> 'userId' = $2)
     on conflict (tenant, user_id) do update set requested_at = erasures.requested_at
     returning xmax = 0 as "isNew"`,
    [tenant, userId, new Date(author.now), isKnown],
  );
  if (rows[0]?.isNew) {
    await writeAudit(client, tenant, author, [
      { action: 'delete', kind: 'users', id: null, userId, before: null, after: null },
    ]);
  }
  return rows.length > 0;
}

/** Users whose erasure is not complete, the oldest request first. */
export async function listErasures(db: Queryable): Promise<UserKey[]> {
  const { rows } = await db.query<UserKey>(
    'select tenant, user_id as "userId" from erasures order by requested_at, tenant, user_id',
  );
  return rows;
}

/** When the user's unfinished erasure was requested, ms; null if there is none. */
export async function findErasure(db: Queryable, { tenant, userId }: UserKey): Promise<number | null> {
  const { rows } = await db.query<{ requestedAt: Date }>(
    'select requested_at as "requestedAt" from erasures where tenant = $1 and user_id = $2 and not is_done',
    [tenant, userId],
  );
  return rows[0]?.requestedAt.getTime() ?? null;
}

/**
 * Locks an erasure until the end of the transaction. @returns null if it does not exist or another process
 * has locked it
 */
export async function lockErasure(
  client: PoolClient,
  { tenant, userId }: UserKey,
): Promise<{ isDone: boolean; requestedAt: number } | null> {
  const { rows } = await client.query<{ isDone: boolean; requestedAt: number }>(
    `select is_done as "isDone", ${MILLISECONDS('requested_at')} as "requestedAt" from erasures where tenant = $1 and user_id = $2 for update skip locked`,
    [tenant, userId],
  );
  return rows[0] ?? null;
}

export async function markErased(client: PoolClient, { tenant, userId }: UserKey): Promise<void> {
  await client.query('update erasures set is_done = true where tenant = $1 and user_id = $2', [
    tenant,
    userId,
  ]);
}

export async function deleteErasure(db: Queryable, { tenant, userId }: UserKey): Promise<void> {
  await db.query('delete from erasures where tenant = $1 and user_id = $2 and is_done', [tenant, userId]);
}

/**
 * All rankings (leaderboard, run, group) in which the history has the user; a run is its first day, an
 * ordinal since 1970.
 */
export async function listUserRankings(
  db: Queryable,
  { tenant, userId }: UserKey,
): Promise<{ leaderboard: number; run: number; group: string }[]> {
  const { rows } = await db.query<{ leaderboard: number; run: number; group: string }>(
    `select distinct leaderboard, ${ORDINAL('run_start')} as run, ranking_group as "group" from leaderboard_changes
     where tenant = $1 and user_id = $2`,
    [tenant, userId],
  );
  return rows;
}
