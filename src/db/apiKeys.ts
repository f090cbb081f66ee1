import { newAdminKey, newApplicationKey, newId, sha256 } from '../base/ids.ts';
import type { Queryable } from './pool.ts';

/** A key as it is stored: whoever reads the table cannot call the service. */
export interface ApiKey {
  id: string;
  /** The part that may be shown and logged. */
  prefix: string;
  sha256: Buffer;
  kind: 'admin' | 'application';
  /** null: every tenant. */
  tenant: number | null;
  /** The only user that an application key may act for; null for an admin key. */
  userId: string | null;
  /** What an admin key may do. */
  role: KeyRole;
  name: string;
}

export type KeyRole = 'read' | 'operate' | 'admin';

/** @returns false when this key is stored already, which is how several first boots agree on the key they were given */
export async function insertApiKey(db: Queryable, key: ApiKey, now: number): Promise<boolean> {
  const { rowCount } = await db.query(
    `insert into api_keys (id, prefix, sha256, kind, tenant, user_id, created, name, role) values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     on conflict (sha256) do nothing`,
    [key.id, key.prefix, key.sha256, key.kind, key.tenant, key.userId, new Date(now), key.name, key.role],
  );
  return rowCount === 1;
}

/**
 * Makes a key and stores it, without what it opens the service with.
 * @param owner `userId` makes it an application key, for this user alone; null an admin key
 * @returns with `key`, which is shown once
 */
export async function createApiKey(
  db: Queryable,
  {
    tenant,
    userId,
    name = '',
    role = 'admin',
  }: Pick<ApiKey, 'tenant' | 'userId'> & Partial<Pick<ApiKey, 'name' | 'role'>>,
  now: number,
): Promise<ApiKey & { key: string }> {
  const kind = userId === null ? 'admin' : 'application';
  const { key, prefix } = kind === 'admin' ? newAdminKey() : newApplicationKey();
  const stored: ApiKey = { id: newId(), prefix, sha256: sha256(key), kind, tenant, userId, role, name };
  await insertApiKey(db, stored, now);
  return { ...stored, key };
}

const ACTIVE_KEYS = `select id, prefix, sha256, kind, tenant, user_id as "userId", role, name from api_keys where status = 'active'`;

/** Every key that may be used now; servers keep them in memory. */
export async function listActiveApiKeys(db: Queryable): Promise<ApiKey[]> {
  return (await db.query<ApiKey>(`${ACTIVE_KEYS} order by created, id`)).rows;
}

/** Those of these keys that may be used now. */
export async function listApiKeysById(db: Queryable, ids: string[]): Promise<ApiKey[]> {
  return (await db.query<ApiKey>(`${ACTIVE_KEYS} and id = any($1::uuid[])`, [ids])).rows;
}

/** What may be shown of an admin key. */
export interface AdminKey {
  id: string;
  name: string;
  role: KeyRole;
  prefix: string;
  status: 'active' | 'revoked';
  created: Date;
}

export async function listAdminKeys(db: Queryable): Promise<AdminKey[]> {
  const { rows } = await db.query<AdminKey>(
    `select id, name, role, prefix, status, created from api_keys where kind = 'admin' order by created, id`,
  );
  return rows;
}

export async function revokeApiKey(db: Queryable, id: string): Promise<void> {
  await db.query(`update api_keys set status = 'revoked' where id = $1`, [id]);
}

export async function deleteAdminKeys(db: Queryable, ids: string[]): Promise<void> {
  await db.query(`delete from api_keys where kind = 'admin' and id = any($1::uuid[])`, [ids]);
}

/** @returns those of a tenant's application keys that there were */
export async function deleteApplicationKeys(
  db: Queryable,
  tenant: number,
  ids: string[],
): Promise<{ id: string; userId: string; prefix: string }[]> {
  const { rows } = await db.query<{ id: string; userId: string; prefix: string }>(
    `delete from api_keys where kind = 'application' and tenant = $1 and id = any($2::uuid[])
     returning id, user_id as "userId", prefix`,
    [tenant, ids],
  );
  return rows;
}
