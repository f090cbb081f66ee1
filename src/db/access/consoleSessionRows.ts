import type { Role } from '../../base/roles.ts';
import type { Queryable } from '../pool.ts';
import { all, execute } from '../rows.ts';

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
  const rows = await all(db)<{ id: string }>`
    delete from console_sessions where expires <= ${created} or id in (
      select id from console_sessions
      where made_by is not distinct from ${madeBy} and subject is not distinct from ${subject}
      order by created desc, id desc offset ${max - 1}
    ) returning id`;
  await execute(db)`
    insert into console_sessions
      (id, sha256, made_by, subject, provider_session, name, role, tenant, created, last_used, expires)
    values (${id}, ${sha256}, ${madeBy}, ${subject}, ${providerSession}, ${name}, ${role}, ${tenant},
      ${created}, ${created}, ${expires})`;
  return rows.map((gone) => gone.id);
}

/** Sessions that are not over, newest first. @param now machine time, ms */
export const listSessions = (db: Queryable, now: number): Promise<ListedSession[]> =>
  all(db)`
    select s.id, s.made_by as "madeBy", s.subject, s.provider_session as "providerSession", s.name, s.role,
      s.tenant, t.customer_id as "customerId", s.created, s.last_used as "lastUsed", s.expires
    from console_sessions s left join tenants t on t.no = s.tenant
    where s.expires > ${new Date(now)} order by s.created desc, s.id desc`;

export async function deleteSessions(db: Queryable, ids: string[]): Promise<void> {
  await execute(db)`delete from console_sessions where id = any(${ids}::uuid[])`;
}

/** @param now machine time, ms */
export async function markSessionUsed(db: Queryable, id: string, now: number): Promise<void> {
  await execute(db)`
    update console_sessions set last_used = ${new Date(now)} where id = ${id} and last_used < ${new Date(now)}`;
}
