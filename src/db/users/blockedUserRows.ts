import type { Queryable } from '../pool.ts';
import type { Rows } from '../rows.ts';
import type { UserKey } from './userMap.ts';

export interface BlockedUserRow {
  userId: string;
  reason: string;
  blockedAt: Date;
}

/** @returns false if the row is there with the same reason and end */
export async function upsertBlockedUser(
  db: Queryable,
  { tenant, userId }: UserKey,
  { reason, until }: { reason: string; until: Date | null },
  now: number,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `insert into blocked_users as known (tenant, user_id, reason, blocked_at, until) values ($1, $2, $3, $4, $5)
     on conflict (tenant, user_id) do update
       set reason = excluded.reason, blocked_at = excluded.blocked_at, until = excluded.until
       where (known.reason, known.until) is distinct from (excluded.reason, excluded.until)`,
    [tenant, userId, reason, new Date(now), until],
  );
  return rowCount !== 0;
}

/** @returns false if there is no row */
export async function deleteBlockedUser(db: Queryable, { tenant, userId }: UserKey): Promise<boolean> {
  const { rowCount } = await db.query('delete from blocked_users where tenant = $1 and user_id = $2', [
    tenant,
    userId,
  ]);
  return rowCount !== 0;
}

/** Rows of those of the users who are, or were, blocked. */
export function readBlockedUsers(
  rows: Rows,
  tenant: number,
  userIds: readonly string[],
): Promise<BlockedUserRow[]> {
  return rows<BlockedUserRow>(
    {
      name: 'blocked users',
      text: `select user_id as "userId", reason, blocked_at as "blockedAt" from blocked_users
        where tenant = $1 and user_id = any($2)`,
    },
    [tenant, userIds],
  );
}
