import type { Queryable } from './pool.ts';

/** Who changes something, and when. */
export interface Author {
  /** Prefix of the key, which is safe to show, or the name of the command. */
  actor: string;
  /** Milliseconds since 1970. */
  now: number;
}

export interface AuditChange {
  action: 'create' | 'update' | 'delete';
  kind: string;
  /** null for the streak and the settings, of which there is one. */
  id: string | null;
  before: object | null;
  after: object | null;
}

export interface AuditEntry extends AuditChange {
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
  actor: string;
  at: Date;
}

/** What no one may read later: left out of both states. */
const SECRET_FIELDS = new Set(['secret']);

const withoutSecrets = (name: string, value: unknown): unknown => (SECRET_FIELDS.has(name) ? undefined : value);

/** Writes down what a transaction changes, inside of it. */
export async function writeAudit(db: Queryable, tenant: number, author: Author, changes: AuditChange[]): Promise<void> {
  if (changes.length === 0) return;
  await db.query(
    `insert into audit_log (tenant, at, actor, action, kind, entity, before, after)
     select $1, $2, $3, action, kind, id, before, after
     from rows from (jsonb_to_recordset($4::jsonb) as (action text, kind text, id uuid, before jsonb, after jsonb))
       with ordinality as change (action, kind, id, before, after, position)
     order by position`,
    [tenant, new Date(author.now), author.actor, JSON.stringify(changes, withoutSecrets)],
  );
}

/** The newest first. @param id only changes of this */
export async function listAudit(
  db: Queryable,
  tenant: number,
  { limit, skip, id }: { limit: number; skip: number; id?: string | undefined },
): Promise<AuditEntry[]> {
  const { rows } = await db.query<AuditEntry>(
    `select actor, at, action, kind, entity as id, nullif(before, 'null') as before, nullif(after, 'null') as after
     from audit_log where tenant = $1 and ($4::uuid is null or entity = $4) order by audit_log.id desc limit $2 offset $3`,
    [tenant, limit, skip, id ?? null],
  );
  return rows;
}
