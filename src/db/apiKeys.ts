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
}

/** @returns false when this key is stored already, which is how several first boots agree on the key they were given */
export async function insertApiKey(db: Queryable, key: ApiKey, now: number): Promise<boolean> {
  const { rowCount } = await db.query(
    `insert into api_keys (id, prefix, sha256, kind, tenant, user_id, created) values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (sha256) do nothing`,
    [key.id, key.prefix, key.sha256, key.kind, key.tenant, key.userId, new Date(now)],
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
  { tenant, userId }: { tenant: number | null; userId: string | null },
  now: number,
): Promise<ApiKey & { key: string }> {
  const kind = userId === null ? 'admin' : 'application';
  const { key, prefix } = kind === 'admin' ? newAdminKey() : newApplicationKey();
  const stored: ApiKey = { id: newId(), prefix, sha256: sha256(key), kind, tenant, userId };
  await insertApiKey(db, stored, now);
  return { ...stored, key };
}

/** Every key that may be used now; servers keep them in memory. */
export async function listActiveApiKeys(db: Queryable): Promise<ApiKey[]> {
  const { rows } = await db.query<ApiKey>(
    `select id, prefix, sha256, kind, tenant, user_id as "userId" from api_keys where status = 'active' order by created, id`,
  );
  return rows;
}
