import type { QueryResultRow } from 'pg';
import type { PoolClient, Queryable } from '../pool.ts';
import type { Rows, Statement } from '../rows.ts';
import type { RenameOrder } from './renameRows.ts';
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
/** Kept by triggers from rows that are exported and erased; without an index by user. */
const DERIVED = 'user_words';

/**
 * All tables with the columns of tenant and user, and some views ($1), read from the catalogue, so a new
 * table is erased and exported without a change here. Large integers and dates are exported as text, so they
 * stay exact. Binary columns are left out: they hold copies or secrets.
 */
const USER_TABLES: Statement = {
  name: 'tables of users',
  text: `select class.relname as name, coalesce(string_agg(format(case typname when 'int8' then '%I::text'
      when 'date' then '%I::text' when '_int8' then '%I::text[]' else '%I' end, attname), ', ' order by attnum)
      filter (where typname <> 'bytea' and attname not in ('tenant', 'user_id')), '') as columns
    from pg_class class
    join pg_attribute on attrelid = class.oid and attnum > 0 and not attisdropped
    join pg_type on pg_type.oid = atttypid
    where (class.relkind in ('r', 'p') or class.relname = any($1)) and not class.relispartition and pg_table_is_visible(class.oid)
      and 2 = (select count(*) from pg_attribute own
        where own.attrelid = class.oid and own.attname in ('tenant', 'user_id') and not own.attisdropped)
    group by class.relname order by class.relname`,
};

/** Outbox entries that were put aside and contain an id as it is packed in them. */
const DEAD_ENTRIES = `dead_entries where coalesce(tenant, $1) = $1
  and exists (select from unnest(fields) as field where position($2::bytea in field) > 0)`;

/**
 * Whether outbox entries that were put aside concern the user.
 * @param packedId the id as outbox entries have it
 */
export async function isInDeadEntries(db: Queryable, tenant: number, packedId: Buffer): Promise<boolean> {
  const { rows } = await db.query<{ found: boolean }>(
    `select exists (select from ${DEAD_ENTRIES}) as found`,
    [tenant, packedId],
  );
  return rows[0]!.found;
}

/** Gives all rows of a user another id, in a transaction. Nobody has rows under the new id. */
export async function renameUserRows(
  client: PoolClient,
  { tenant, userId, newId }: RenameOrder,
): Promise<void> {
  const values = [tenant, userId, newId];
  const { rows } = await client.query<UserTable>({ ...USER_TABLES, values: [[]] });
  for (const { name } of rows) {
    if (name !== 'erasures' && name !== DERIVED)
      await client.query(`update ${name} set user_id = $3 where tenant = $1 and user_id = $2`, values);
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
  for (const { name, columns } of await rows<UserTable & QueryResultRow>(USER_TABLES, [EXPORTED_VIEWS])) {
    if (NOT_EXPORTED.includes(name) || name === DERIVED) continue;
    const text = `select ${columns} from ${name} where tenant = $1 and user_id = $2`;
    found[name] = await rows({ name: `rows of a user in ${name}`, text }, [tenant, userId]);
  }
  return found;
}

/**
 * Deletes all rows of a user except those of the tables `KEPT`, in a transaction. Dead outbox entries that
 * contain the user's id are deleted as well, with everything else in them.
 * @param packedId the user's id as it is packed in outbox entries
 */
export async function deleteUserRows(
  client: PoolClient,
  { tenant, userId }: UserKey,
  packedId: Buffer,
): Promise<void> {
  await client.query(
    'delete from recorded_events where user_no = (select no from user_numbers where tenant = $1 and user_id = $2)',
    [tenant, userId],
  );
  const { rows } = await client.query<UserTable>({ ...USER_TABLES, values: [[]] });
  for (const { name } of rows) {
    if (!KEPT.includes(name) && name !== DERIVED)
      await client.query(`delete from ${name} where tenant = $1 and user_id = $2`, [tenant, userId]);
  }
  // Stored webhook bodies with rankings may contain the user. They are rendered again from their facts if
  // they are sent again.
  await client.query(
    `update webhook_deliveries set payload = null
     where tenant = $1 and user_id is null and facts is not null and position($2 in payload) > 0`,
    [tenant, `"userId":${JSON.stringify(userId)}`],
  );
  await client.query(`delete from ${DEAD_ENTRIES}`, [tenant, packedId]);
}
