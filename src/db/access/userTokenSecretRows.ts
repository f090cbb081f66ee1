import type { Queryable } from '../pool.ts';

/** A secret with which a tenant's backend signs tokens for its users. */
export interface UserTokenSecret {
  id: string;
  /** Number of the tenant. */
  tenant: number;
  /** The tenant's own id; null for the default tenant without multi-tenancy. */
  customerId: string | null;
  name: string;
  secret: string;
  created: Date;
}

const SECRETS = `select s.id, s.tenant, t.customer_id as "customerId", s.name, s.secret, s.created
  from user_token_secrets s join tenants t on t.no = s.tenant`;

export async function listUserTokenSecrets(db: Queryable): Promise<UserTokenSecret[]> {
  return (await db.query<UserTokenSecret>(`${SECRETS} order by s.created, s.id`)).rows;
}

export async function listSecretsOfTenant(db: Queryable, tenant: number): Promise<UserTokenSecret[]> {
  const text = `${SECRETS} where s.tenant = $1 order by s.created, s.id`;
  return (await db.query<UserTokenSecret>(text, [tenant])).rows;
}

export async function listSecretsById(db: Queryable, ids: string[]): Promise<UserTokenSecret[]> {
  return (await db.query<UserTokenSecret>(`${SECRETS} where s.id = any($1::uuid[])`, [ids])).rows;
}

export async function insertUserTokenSecret(
  db: Queryable,
  { id, tenant, name, secret, created }: Omit<UserTokenSecret, 'customerId'>,
): Promise<void> {
  await db.query(
    'insert into user_token_secrets (id, tenant, name, secret, created) values ($1, $2, $3, $4, $5)',
    [id, tenant, name, secret, created],
  );
}

/** @returns the deleted secrets; unknown ids are left out */
export async function deleteUserTokenSecrets(
  db: Queryable,
  tenant: number,
  ids: string[],
): Promise<{ id: string; name: string }[]> {
  const { rows } = await db.query<{ id: string; name: string }>(
    'delete from user_token_secrets where tenant = $1 and id = any($2::uuid[]) returning id, name',
    [tenant, ids],
  );
  return rows;
}
