import type { QueryResultRow } from 'pg';
import type { PoolClient, Queryable } from '../pool.ts';
import { all, execute, prepared, type Rows, some } from '../rows.ts';
import { raw, type Sql, sql } from '../sql.ts';
import type { RenameOrder } from './renameRows.ts';
import { eventsOf } from './userEvents.ts';
import type { UserKey } from './userMap.ts';

/** A table with rows of users, and the columns that an export shows. */
interface UserTable {
  name: string;
  /** SQL expressions separated by commas; empty if the table has no columns besides tenant and user. */
  columns: string;
}

/** Views that an export shows instead of the tables with the user's events and awards. */
const EXPORTED_VIEWS = ['event_history', 'award_history'];
const NOT_EXPORTED = ['points_awards', 'user_numbers'];

/**
 * All tables with the columns of tenant and user, and some views, read from the catalogue, so a new table is
 * erased and exported without a change here. Large integers and dates are exported as text, so they stay
 * exact. Binary columns are left out: they hold copies or secrets. Triggers keep user_words from rows that
 * are exported and erased, and it has no index by user.
 */
const tablesOfUsers = (db: Rows, views: readonly string[] = []): Promise<UserTable[]> => all(prepared(db))`
  select class.relname as name, coalesce(string_agg(format(case typname when 'int8' then '%I::text'
    when 'date' then '%I::text' when '_int8' then '%I::text[]' else '%I' end, attname), ', ' order by attnum)
    filter (where typname <> 'bytea' and attname not in ('tenant', 'user_id')), '') as columns
  from pg_class class
  join pg_attribute on attrelid = class.oid and attnum > 0 and not attisdropped
  join pg_type on pg_type.oid = atttypid
  where (class.relkind in ('r', 'p') or class.relname = any(${views})) and not class.relispartition
    and pg_table_is_visible(class.oid) and class.relname <> 'user_words'
    and 2 = (select count(*) from pg_attribute own
      where own.attrelid = class.oid and own.attname in ('tenant', 'user_id') and not own.attisdropped)
  group by class.relname order by class.relname`;

/** Outbox entries that were put aside and contain an id as it is packed in them. */
const deadEntries = (tenant: number, packedId: Buffer): Sql => sql`dead_entries
  where coalesce(tenant, ${tenant}) = ${tenant}
    and exists (select from unnest(fields) as field where position(${packedId}::bytea in field) > 0)`;

/**
 * Whether outbox entries that were put aside concern the user.
 * @param packedId the id as outbox entries have it
 */
export const isInDeadEntries = (db: Queryable, tenant: number, packedId: Buffer): Promise<boolean> =>
  some(db)`select from ${deadEntries(tenant, packedId)} limit 1`;

/** Gives all rows of a user another id, in a transaction. Nobody has rows under the new id. */
export async function renameUserRows(
  client: PoolClient,
  { tenant, userId, newId }: RenameOrder,
): Promise<void> {
  for (const { name } of await tablesOfUsers(client)) {
    if (name !== 'erasures')
      await execute(client)`
        update ${raw(name)} set user_id = ${newId} where tenant = ${tenant} and user_id = ${userId}`;
  }
}

/**
 * Tables that an erasure keeps: its own row is deleted at the end, and the audit log is kept without the
 * user.
 */
const KEPT = ['erasures', 'audit_log'];

/** All rows of a user, by table, without the columns of tenant and user. */
export async function readUserRows(
  rows: Rows,
  { tenant, userId }: UserKey,
): Promise<Record<string, QueryResultRow[]>> {
  const found: Record<string, QueryResultRow[]> = {};
  for (const { name, columns } of await tablesOfUsers(rows, EXPORTED_VIEWS)) {
    if (!NOT_EXPORTED.includes(name))
      found[name] = await all(rows)`
        select ${raw(columns)} from ${raw(name)} where tenant = ${tenant} and user_id = ${userId}`;
  }
  return found;
}

/**
 * Deletes all rows of a user except those of the tables `KEPT`, in a transaction. Dead outbox entries that
 * contain the user's id are deleted as well, with everything else in them.
 * @param packedId the user's id as it is packed in outbox entries
 */
export async function deleteUserRows(client: PoolClient, user: UserKey, packedId: Buffer): Promise<void> {
  const { tenant, userId } = user;
  await execute(client)`delete from ${eventsOf(user)}`;
  for (const { name } of await tablesOfUsers(client)) {
    if (!KEPT.includes(name))
      await execute(client)`delete from ${raw(name)} where tenant = ${tenant} and user_id = ${userId}`;
  }
  // Stored webhook bodies with rankings may contain the user. They are rendered again from their facts if
  // they are sent again.
  await execute(client)`
    update webhook_deliveries set payload = null
    where tenant = ${tenant} and user_id is null and facts is not null
      and position(${`"userId":${JSON.stringify(userId)}`} in payload) > 0`;
  await execute(client)`delete from ${deadEntries(tenant, packedId)}`;
}
