import type { Queryable } from '../pool.ts';
import { all, execute } from '../rows.ts';
import { sql } from '../sql.ts';

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

const SECRETS = sql`select s.id, s.tenant, t.customer_id as "customerId", s.name, s.secret, s.created
  from user_token_secrets s join tenants t on t.no = s.tenant`;

export const listUserTokenSecrets = (db: Queryable): Promise<UserTokenSecret[]> =>
  all(db)`${SECRETS} order by s.created, s.id`;

export const listSecretsOfTenant = (db: Queryable, tenant: number): Promise<UserTokenSecret[]> =>
  all(db)`${SECRETS} where s.tenant = ${tenant} order by s.created, s.id`;

export const listSecretsById = (db: Queryable, ids: string[]): Promise<UserTokenSecret[]> =>
  all(db)`${SECRETS} where s.id = any(${ids}::uuid[])`;

export async function insertUserTokenSecret(
  db: Queryable,
  { id, tenant, name, secret, created }: Omit<UserTokenSecret, 'customerId'>,
): Promise<void> {
  await execute(db)`
    insert into user_token_secrets (id, tenant, name, secret, created)
    values (${id}, ${tenant}, ${name}, ${secret}, ${created})`;
}

/** @returns the deleted secrets; unknown ids are left out */
export const deleteUserTokenSecrets = (
  db: Queryable,
  tenant: number,
  ids: string[],
): Promise<{ id: string; name: string }[]> =>
  all(db)`
    delete from user_token_secrets where tenant = ${tenant} and id = any(${ids}::uuid[]) returning id, name`;
