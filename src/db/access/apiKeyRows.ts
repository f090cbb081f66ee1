import { newAdminKey, newApplicationKey, newId, sha256 } from '../../base/ids.ts';
import type { Role } from '../../base/roles.ts';
import type { Queryable } from '../pool.ts';
import { all, column, execute, some } from '../rows.ts';
import { sql } from '../sql.ts';

/**
 * A key as it is stored. The table holds only its hash, so reading the table gives no access to the service.
 */
export interface StoredKey {
  id: string;
  /** The part of the key that may be shown and logged. */
  prefix: string;
  sha256: Buffer;
  kind: 'admin' | 'application';
  /** null for a key of every tenant. */
  tenant: number | null;
  /** The only user that an application key may act for; null for an admin key. */
  userId: string | null;
  /** What an admin key may do. */
  role: Role;
  name: string;
}

/** What servers accept as a key: a stored key, or a session of the console. */
export interface AcceptedKey extends StoredKey {
  /** Id of the key that made the session; null for a key. */
  madeBy: string | null;
  /** Machine time at which the session ends; null for a key. */
  expires: Date | null;
}

/**
 * @returns false if the key is stored already; so several processes can insert the same given key at first
 * boot
 */
export const insertApiKey = (db: Queryable, key: StoredKey, now: number): Promise<boolean> =>
  some(db)`
    insert into api_keys (id, prefix, sha256, kind, tenant, user_id, created, name, role)
    values (${key.id}, ${key.prefix}, ${key.sha256}, ${key.kind}, ${key.tenant}, ${key.userId},
      ${new Date(now)}, ${key.name}, ${key.role})
    on conflict (sha256) do nothing`;

/**
 * Creates a key and stores its hash.
 * @param owner with a `userId`, an application key for this user; with null, an admin key
 * @returns the stored key and, as `key`, the secret, which can be shown only now
 */
export async function createApiKey(
  db: Queryable,
  {
    tenant,
    userId,
    name = '',
    role = 'admin',
  }: Pick<StoredKey, 'tenant' | 'userId'> & Partial<Pick<StoredKey, 'name' | 'role'>>,
  now: number,
): Promise<StoredKey & { key: string }> {
  const kind = userId === null ? 'admin' : 'application';
  const { key, prefix } = kind === 'admin' ? newAdminKey() : newApplicationKey();
  const stored: StoredKey = { id: newId(), prefix, sha256: sha256(key), kind, tenant, userId, role, name };
  await insertApiKey(db, stored, now);
  return { ...stored, key };
}

/** In the audit log and in logs, instead of the prefix of a key. The subject of a person follows a colon. */
export const SESSION_PREFIX = 'console';

const ACCEPTED_KEYS = sql`
  select id, prefix, sha256, kind, tenant, user_id as "userId", role, name,
    null::uuid as "madeBy", null::timestamptz as expires
  from api_keys where status = 'active'
  union all
  select id, concat_ws(':', ${SESSION_PREFIX}::text, subject), sha256, 'admin', tenant, null, role, name,
    made_by, expires
  from console_sessions`;

/** All active keys and sessions; servers keep them in memory. */
export const listAcceptedKeys = (db: Queryable): Promise<AcceptedKey[]> => all(db)`${ACCEPTED_KEYS}`;

/** Those with these ids, and the sessions that they made. */
export const listAcceptedKeysById = (db: Queryable, ids: string[]): Promise<AcceptedKey[]> =>
  all(db)`
    select * from (${ACCEPTED_KEYS}) keys where id = any(${ids}::uuid[]) or "madeBy" = any(${ids}::uuid[])`;

/** An admin key as the API shows it. */
export interface AdminKey {
  id: string;
  name: string;
  /** Number of the only tenant of the key; null for every tenant. */
  tenant: number | null;
  /** Id of that tenant (`Tenant-ID`). */
  customerId: string | null;
  role: Role;
  prefix: string;
  status: 'active' | 'revoked';
  created: Date;
  /** Machine time; null if it was not used yet. */
  lastUsed: Date | null;
}

export const listAdminKeys = (db: Queryable): Promise<AdminKey[]> =>
  all(db)`
    select k.id, k.name, k.tenant, t.customer_id as "customerId", k.role, k.prefix, k.status, k.created,
      k.last_used as "lastUsed"
    from api_keys k left join tenants t on t.no = k.tenant
    where k.kind = 'admin' order by k.created, k.id`;

/** @param now machine time, ms */
export async function markKeyUsed(db: Queryable, id: string, now: number): Promise<void> {
  await execute(db)`
    update api_keys set last_used = ${new Date(now)}
    where id = ${id} and (last_used < ${new Date(now)} or last_used is null)`;
}

/** Revokes a key and ends its sessions. */
export async function revokeApiKey(db: Queryable, id: string): Promise<void> {
  await execute(db)`
    with ended as (delete from console_sessions where made_by = ${id})
    update api_keys set status = 'revoked' where id = ${id}`;
}

export async function deleteAdminKeys(db: Queryable, ids: string[]): Promise<void> {
  await execute(db)`delete from api_keys where kind = 'admin' and id = any(${ids}::uuid[])`;
}

/** Ids of the application keys of a user. */
export const listKeyIdsOfUser = (db: Queryable, tenant: number, userId: string): Promise<string[]> =>
  column(db)`
    select id from api_keys where kind = 'application' and tenant = ${tenant} and user_id = ${userId}`;

/** Deletes application keys of a tenant. @returns the deleted keys; unknown ids are left out */
export const deleteApplicationKeys = (
  db: Queryable,
  tenant: number,
  ids: string[],
): Promise<{ id: string; userId: string; prefix: string }[]> =>
  all(db)`
    delete from api_keys where kind = 'application' and tenant = ${tenant} and id = any(${ids}::uuid[])
    returning id, user_id as "userId", prefix`;
