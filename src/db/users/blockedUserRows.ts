import type { Queryable } from '../pool.ts';
import { all, type Rows, some } from '../rows.ts';
import type { UserKey } from './userMap.ts';

export interface BlockedUserRow {
  userId: string;
  reason: string;
  blockedAt: Date;
}

/** @returns false if the row is there with the same reason and end */
export const upsertBlockedUser = (
  db: Queryable,
  { tenant, userId }: UserKey,
  { reason, until }: { reason: string; until: Date | null },
  now: number,
): Promise<boolean> =>
  some(db)`
    insert into blocked_users as known (tenant, user_id, reason, blocked_at, until)
    values (${tenant}, ${userId}, ${reason}, ${new Date(now)}, ${until})
    on conflict (tenant, user_id) do update
      set reason = excluded.reason, blocked_at = excluded.blocked_at, until = excluded.until
      where (known.reason, known.until) is distinct from (excluded.reason, excluded.until)`;

/** @returns false if there is no row */
export const deleteBlockedUser = (db: Queryable, { tenant, userId }: UserKey): Promise<boolean> =>
  some(db)`delete from blocked_users where tenant = ${tenant} and user_id = ${userId}`;

/** Rows of those of the users who are, or were, blocked. */
export const readBlockedUsers = (
  rows: Rows,
  tenant: number,
  userIds: readonly string[],
): Promise<BlockedUserRow[]> =>
  all(rows)`
    select user_id as "userId", reason, blocked_at as "blockedAt" from blocked_users
    where tenant = ${tenant} and user_id = any(${userIds})`;
