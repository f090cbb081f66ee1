import { newId } from '../../base/ids.ts';
import type { Page } from '../../contract/admin.ts';
import type { Queryable } from '../pool.ts';
import { all, column, execute, first, value } from '../rows.ts';
import { sql } from '../sql.ts';

/**
 * A customer of the operator, with its own users and configuration. The default tenant is not one of these.
 */
export interface Tenant {
  /** Number of the tenant, the `T` in Redis keys. */
  no: number;
  id: string;
  /** The operator's id of the tenant, sent in the header Tenant-ID. */
  customerId: string;
  name: string;
  status: 'active' | 'archived';
  created: Date;
  updated: Date;
}

const TENANTS = sql`select no, id, customer_id as "customerId", name, status, created, updated from tenants
  where customer_id is not null`;

export const listTenants = (db: Queryable, { skip, limit }: Page): Promise<Tenant[]> =>
  all(db)`${TENANTS} order by no offset ${skip} limit ${limit}`;

/** Numbers of all tenants, also of archived ones and of the default tenant. */
export const listTenantNumbers = (db: Queryable): Promise<number[]> =>
  column(db)`select no from tenants order by no`;

export const findTenant = (db: Queryable, id: string): Promise<Tenant | null> =>
  first(db)`${TENANTS} and id = ${id}`;

/**
 * The active tenant with this customer id; null if there is none. An archived tenant no longer has its id.
 */
export const findTenantByCustomerId = (db: Queryable, customerId: string): Promise<Tenant | null> =>
  first(db)`${TENANTS} and customer_id = ${customerId} and status = 'active'`;

export async function insertTenant(
  db: Queryable,
  customerId: string,
  name: string,
  now: number,
): Promise<Tenant> {
  const id = newId();
  await execute(db)`
    insert into tenants (id, customer_id, name, created, updated)
    values (${id}, ${customerId}, ${name}, ${new Date(now)}, ${new Date(now)})`;
  return (await findTenant(db, id))!;
}

/** Updates a tenant and raises its version, because id and status are published with the configuration. */
export async function updateTenant(
  db: Queryable,
  { id, customerId, name, status }: Pick<Tenant, 'id' | 'customerId' | 'name' | 'status'>,
  now: number,
): Promise<Tenant> {
  await execute(db)`
    update tenants set customer_id = ${customerId}, name = ${name}, status = ${status},
      updated = ${new Date(now)}, version = version + 1 where id = ${id}`;
  return (await findTenant(db, id))!;
}

/** The number of the active tenant with this customer id; null if there is none. */
export const findActiveTenant = (db: Queryable, customerId: string): Promise<number | null> =>
  value(db)`select no from tenants where customer_id = ${customerId} and status = 'active'`;

/** Default time zones by tenant number; tenants without one are left out. */
export async function readTimeZones(db: Queryable, tenants: number[]): Promise<Map<number, string>> {
  const rows = await all(db)<{ no: number; zone: string }>`
    select no, settings ->> 'defaultTimeZone' as zone from tenants
    where no = any(${tenants}::int4[]) and settings ? 'defaultTimeZone'`;
  return new Map(rows.map(({ no, zone }) => [no, zone]));
}
