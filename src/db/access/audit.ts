import type { PoolClient, Queryable } from '../pool.ts';

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
  await db.query(
    `insert into audit_log (tenant, at, actor, actor_name, action, kind, entity, user_id, before, after, version)
     select $1, $2, $3, nullif($5, ''), action, kind, id, "user", nullif(before, 'null'), nullif(after, 'null'), $6
     from rows from (jsonb_to_recordset($4::jsonb)
       as (action text, kind text, id uuid, "user" text, before jsonb, after jsonb))
       with ordinality as change (action, kind, id, "user", before, after, position)
     order by position`,
    [tenant, new Date(author.now), author.actor, JSON.stringify(rows), author.actorName ?? '', version],
  );
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
  await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [id]);
  const { rows } = await client.query<{ after: Record<string, unknown> | null }>(
    `select after from audit_log where tenant = $1 and entity = $2 and action = 'create' limit 1`,
    [tenant, id],
  );
  return rows[0]?.after ?? null;
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

/** Two reads of an index each: one for both conditions would read the whole log. */
const BY_ACTOR = ['actor = $8', 'actor_name = $8 and actor <> $8'];

/** Entries of a tenant, newest first. */
export async function listAudit(
  db: Queryable,
  tenant: number,
  { limit, skip, id, userId, version, kind, actor }: AuditFilter,
): Promise<AuditEntry[]> {
  const found = (condition = 'true') => `(
    select * from audit_log
    where tenant = $1 and ($4::uuid is null or entity = $4) and ($5::text is null or user_id = $5)
      and ($6::bigint is null or version = $6) and ($7::text is null or kind = $7) and ${condition}
    order by id desc limit $2::int + $3::int)`;
  const values = [tenant, limit, skip, id ?? null, userId ?? null, version ?? null, kind ?? null];
  const { rows } = await db.query<AuditEntry>(
    `select actor, actor_name as "actorName", at, action, kind, entity as id, user_id as "userId",
       users.name as "userName", before, after, version::float8 as version
     from (
       select * from (${actor === undefined ? found() : BY_ACTOR.map(found).join(' union all ')}) as found
       order by id desc limit $2 offset $3
     ) as entry left join users using (tenant, user_id)
     order by entry.id desc`,
    actor === undefined ? values : [...values, actor],
  );
  return rows;
}

/** Removes the user and the changed values from entries of a user. Actor, action, kind and time stay. */
export async function forgetUserInAudit(db: Queryable, tenant: number, userId: string): Promise<void> {
  await db.query(
    'update audit_log set user_id = null, before = null, after = null where tenant = $1 and user_id = $2',
    [tenant, userId],
  );
}
