import { type Author, writeAudit } from '../access/audit.ts';
import type { PoolClient, Queryable } from '../pool.ts';
import { all, execute, first, value } from '../rows.ts';
import { MILLISECONDS, type Sql, sql } from '../sql.ts';
import type { UserKey } from './userMap.ts';

/** Whether a user exists or is being erased, or something names the user. */
export const hasRows = ({ tenant, userId }: UserKey): Sql => sql`(exists (
  select from users where tenant = ${tenant} and user_id = ${userId}
  union all select from erasures where tenant = ${tenant} and user_id = ${userId}
  union all select from api_keys where tenant = ${tenant} and user_id = ${userId}
  union all select from held_events where tenant = ${tenant} and user_id = ${userId}))`;

/**
 * Requests the erasure of a user, in a transaction.
 * @returns false if the user is in none of the tables here, and not `isKnown`
 */
export async function insertErasure(
  client: PoolClient,
  user: UserKey,
  isKnown: boolean,
  author: Author,
): Promise<boolean> {
  const { tenant, userId } = user;
  const found = await first(client)<{ isNew: boolean }>`
    insert into erasures (tenant, user_id, requested_at) select ${tenant}, ${userId}, ${new Date(author.now)}
    where ${isKnown} or ${hasRows(user)}
      or exists (select from entities where tenant = ${tenant} and kind = 'pointsBoosts'
        and body ->> 'userId' = ${userId})
    on conflict (tenant, user_id) do update set requested_at = erasures.requested_at
    returning xmax = 0 as "isNew"`;
  if (found?.isNew) {
    await writeAudit(client, tenant, author, [
      { action: 'delete', kind: 'users', id: null, userId, before: null, after: null },
    ]);
  }
  return found !== null;
}

/** Users whose erasure is not complete, the oldest request first. */
export const listErasures = (db: Queryable): Promise<UserKey[]> =>
  all(db)`select tenant, user_id as "userId" from erasures order by requested_at, tenant, user_id`;

/** When the user's unfinished erasure was requested, ms; null if there is none. */
export const findErasure = (db: Queryable, { tenant, userId }: UserKey): Promise<number | null> =>
  value(db)`
    select ${MILLISECONDS('requested_at')} from erasures
    where tenant = ${tenant} and user_id = ${userId} and not is_done`;

/**
 * Locks an erasure until the end of the transaction. @returns null if it does not exist or another process
 * has locked it
 */
export const lockErasure = (
  client: PoolClient,
  { tenant, userId }: UserKey,
): Promise<{ isDone: boolean; requestedAt: number } | null> =>
  first(client)`
    select is_done as "isDone", ${MILLISECONDS('requested_at')} as "requestedAt" from erasures
    where tenant = ${tenant} and user_id = ${userId} for update skip locked`;

export async function markErased(client: PoolClient, { tenant, userId }: UserKey): Promise<void> {
  await execute(client)`update erasures set is_done = true where tenant = ${tenant} and user_id = ${userId}`;
}

export async function deleteErasure(db: Queryable, { tenant, userId }: UserKey): Promise<void> {
  await execute(db)`delete from erasures where tenant = ${tenant} and user_id = ${userId} and is_done`;
}
