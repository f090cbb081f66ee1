import type { Role } from '../../base/roles.ts';
import type { Queryable } from '../pool.ts';

/** A session of the console. Its instants are those of the machine. */
export interface ConsoleSession {
  id: string;
  /** Id of the key that made it; null for a person, and for the link of `npm start`. */
  madeBy: string | null;
  /** The person's id at the identity provider; null for a key and for the link. */
  subject: string | null;
  /** The person's session at the provider; null if it did not name one. */
  providerSession: string | null;
  /** Who signed in. */
  name: string;
  role: Role;
  /** Number of its only tenant; null for every tenant. */
  tenant: number | null;
  created: Date;
  lastUsed: Date;
  expires: Date;
}

/** A session with the id of its tenant (`Tenant-ID`). */
export type ListedSession = ConsoleSession & { customerId: string | null };

/**
 * Stores a session. Sessions that are over go, and the oldest of the same maker or person beyond `max`.
 * @returns the ids of those that went
 */
export async function insertSession(
  db: Queryable,
  { id, madeBy, subject, providerSession, name, role, tenant, created, expires }: ConsoleSession,
  sha256: Buffer,
  max: number,
): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `delete from console_sessions where expires <= $1 or id in (
       select id from console_sessions
       where made_by is not distinct from $2 and subject is not distinct from $3
       order by created desc, id desc offset $4
     ) returning id`,
    [created, madeBy, subject, max - 1],
  );
  await db.query(
    `insert into console_sessions
       (id, sha256, made_by, subject, provider_session, name, role, tenant, created, last_used, expires)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9, $10)`,
    [id, sha256, madeBy, subject, providerSession, name, role, tenant, created, expires],
  );
  return rows.map((gone) => gone.id);
}

/** Sessions that are not over, newest first. @param now machine time, ms */
export async function listSessions(db: Queryable, now: number): Promise<ListedSession[]> {
  const { rows } = await db.query<ListedSession>(
    `select s.id, s.made_by as "madeBy", s.subject, s.provider_session as "providerSession", s.name, s.role, s.tenant, t.customer_id as "customerId",
       s.created, s.last_used as "lastUsed", s.expires
     from console_sessions s left join tenants t on t.no = s.tenant
     where s.expires > $1 order by s.created desc, s.id desc`,
    [new Date(now)],
  );
  return rows;
}

export async function deleteSessions(db: Queryable, ids: string[]): Promise<void> {
  await db.query('delete from console_sessions where id = any($1::uuid[])', [ids]);
}

/** @param now machine time, ms */
export async function markSessionUsed(db: Queryable, id: string, now: number): Promise<void> {
  await db.query('update console_sessions set last_used = $2 where id = $1 and last_used < $2', [
    id,
    new Date(now),
  ]);
}
