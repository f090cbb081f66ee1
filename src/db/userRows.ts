import type { QueryResultRow } from 'pg';
import type { PoolClient } from './pool.ts';
import type { UserKey } from './readUserHistory.ts';
import type { Rows, Statement } from './rows.ts';

/** A table of which some rows are one user's, with its columns as they are shown to that user. */
interface UserTable {
  name: string;
  /** Quoted, separated by commas; empty for a table that only names users. */
  columns: string;
}

/**
 * All tables that have a tenant and a user, from the catalogue, so that a new table is erased and exported without a change here. Large numbers and dates as text, exact; raw bytes are copies of what is shown elsewhere, or secrets.
 */
const USER_TABLES: Statement = {
  name: 'tables of users',
  text: `select class.relname as name, coalesce(string_agg(format(case typname when 'int8' then '%I::text'
      when 'date' then '%I::text' when '_int8' then '%I::text[]' else '%I' end, attname), ', ' order by attnum)
      filter (where typname <> 'bytea' and attname not in ('tenant', 'user_id')), '') as columns
    from pg_class class
    join pg_attribute on attrelid = class.oid and attnum > 0 and not attisdropped
    join pg_type on pg_type.oid = atttypid
    where class.relkind in ('r', 'p') and not class.relispartition and pg_table_is_visible(class.oid)
      and 2 = (select count(*) from pg_attribute own
        where own.attrelid = class.oid and own.attname in ('tenant', 'user_id') and not own.attisdropped)
    group by class.relname order by class.relname`,
};

/** The row that says that a user is being erased goes last, when that is done; the audit log stays, without the user. */
const KEPT = ['erasures', 'audit_log'];

/** All rows of a user, by table; without what names the tenant and the user. */
export async function readUserRows(rows: Rows, { tenant, userId }: UserKey): Promise<Record<string, QueryResultRow[]>> {
  const found: Record<string, QueryResultRow[]> = {};
  for (const { name, columns } of await rows<UserTable & QueryResultRow>(USER_TABLES, [])) {
    const text = `select ${columns} from ${name} where tenant = $1 and user_id = $2`;
    found[name] = await rows({ name: `rows of a user in ${name}`, text }, [tenant, userId]);
  }
  return found;
}

/**
 * Deletes all rows of a user except those of the tables `KEPT`, in a transaction. Outbox entries that could not be stored and that
 * name the user are deleted as well, with everything else that they hold.
 * @param packedId the user's id as outbox entries hold it
 */
export async function deleteUserRows(client: PoolClient, { tenant, userId }: UserKey, packedId: Buffer): Promise<void> {
  const { rows } = await client.query<UserTable>(USER_TABLES);
  for (const { name } of rows) {
    if (!KEPT.includes(name))
      await client.query(`delete from ${name} where tenant = $1 and user_id = $2`, [tenant, userId]);
  }
  // Rankings in webhooks: such a body is made again from its facts if it is sent again.
  await client.query(
    `update webhook_deliveries set payload = null
     where tenant = $1 and user_id is null and facts is not null and position($2 in payload) > 0`,
    [tenant, `"userId":${JSON.stringify(userId)}`],
  );
  await client.query(
    `delete from dead_entries where coalesce(tenant, $1) = $1
       and exists (select from unnest(fields) as field where position($2::bytea in field) > 0)`,
    [tenant, packedId],
  );
}
