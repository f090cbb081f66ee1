import type { PoolClient, Queryable } from '../pool.ts';
import { all, execute, value } from '../rows.ts';
import { type Sql, sql } from '../sql.ts';

/** Who changes something, and when. */
export interface Author {
  /** Prefix of the key (not secret), or the name of the command. */
  actor: string;
  /** Name of the key; empty if it has none. */
  actorName?: string;
  /** Milliseconds since 1970. */
  now: number;
}

export interface AuditChange {
  action: 'create' | 'update' | 'delete';
  kind: string;
  /** null for objects that exist once for each tenant, such as the settings, and for users (see `userId`). */
  id: string | null;
  /**
   * The only user concerned. A separate field, not a part of `before` or `after`, so that an erasure finds
   * it.
   */
  userId?: string;
  before: object | null;
  after: object | null;
}

export interface AuditEntry extends Omit<AuditChange, 'userId'> {
  userId: string | null;
  /** Current name of the user. */
  userName: string | null;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
  actor: string;
  actorName: string | null;
  at: Date;
  /** The version of the configuration that the change made; null for other changes. */
  version: number | null;
}

/** Fields left out of `before` and `after`: secrets, and the user id, which has its own column. */
const LEFT_OUT = new Set(['secret', 'previousSecret', 'userId']);

const shown = (state: object | null): object | null =>
  state && Object.fromEntries(Object.entries(state).filter(([name]) => !LEFT_OUT.has(name)));

const userOf = ({ userId, before, after }: AuditChange): string | null =>
  userId ?? ((after ?? before) as { userId?: string | null } | null)?.userId ?? null;

/**
 * Writes the changes of a transaction to the audit log, in the same transaction.
 * @param version of the configuration that they make; null if they are about something else
 */
export async function writeAudit(
  db: Queryable,
  tenant: number,
  author: Author,
  changes: AuditChange[],
  version: number | null = null,
): Promise<void> {
  if (changes.length === 0) return;
  const rows = changes.map((change) => ({
    action: change.action,
    kind: change.kind,
    id: change.id,
    user: userOf(change),
    before: shown(change.before),
    after: shown(change.after),
  }));
  await execute(db)`
    insert into audit_log (tenant, at, actor, actor_name, action, kind, entity, user_id, before, after,
      version)
    select ${tenant}, ${new Date(author.now)}, ${author.actor}, nullif(${author.actorName ?? ''}, ''),
      action, kind, id, "user", nullif(before, 'null'), nullif(after, 'null'), ${version}
    from rows from (jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as (action text, kind text, id uuid, "user" text, before jsonb, after jsonb))
      with ordinality as change (action, kind, id, "user", before, after, position)
    order by position`;
}

/**
 * The state of an object after its creation, from the audit log; null if the log has no such entry. Others
 * who ask for the same object wait until the end of the transaction.
 */
export async function findAuditedCreation(
  client: PoolClient,
  tenant: number,
  id: string,
): Promise<Record<string, unknown> | null> {
  await execute(client)`select pg_advisory_xact_lock(hashtextextended(${id}, 0))`;
  return value(client)`
    select after from audit_log where tenant = ${tenant} and entity = ${id} and action = 'create' limit 1`;
}

export interface AuditFilter {
  limit: number;
  skip: number;
  /** Only changes of the object with this id. */
  id?: string | undefined;
  /** Only changes that concern this user. */
  userId?: string | undefined;
  /** Only changes that made this version of the configuration. */
  version?: number | undefined;
  kind?: string | undefined;
  /** Only changes by this actor, or by an actor of this name. */
  actor?: string | undefined;
}

/** Entries of a tenant, newest first. */
export function listAudit(
  db: Queryable,
  tenant: number,
  { limit, skip, id, userId, version, kind, actor }: AuditFilter,
): Promise<AuditEntry[]> {
  const found = (condition: Sql): Sql => sql`(
    select * from audit_log
    where tenant = ${tenant} and (${id}::uuid is null or entity = ${id})
      and (${userId}::text is null or user_id = ${userId})
      and (${version}::bigint is null or version = ${version}) and (${kind}::text is null or kind = ${kind})
      and ${condition}
    order by id desc limit ${skip + limit})`;
  // Two reads of an index each: one for both conditions would read the whole log.
  const byActor = sql`${found(sql`actor = ${actor}`)}
    union all ${found(sql`actor_name = ${actor} and actor <> ${actor}`)}`;
  return all(db)`
    select actor, actor_name as "actorName", at, action, kind, entity as id, user_id as "userId",
      users.name as "userName", before, after, version::float8 as version
    from (
      select * from (${actor === undefined ? found(sql`true`) : byActor}) as found
      order by id desc limit ${limit} offset ${skip}
    ) as entry left join users using (tenant, user_id)
    order by entry.id desc`;
}

/** Removes the user and the changed values from entries of a user. Actor, action, kind and time stay. */
export async function forgetUserInAudit(db: Queryable, tenant: number, userId: string): Promise<void> {
  await execute(db)`
    update audit_log set user_id = null, before = null, after = null
    where tenant = ${tenant} and user_id = ${userId}`;
}
