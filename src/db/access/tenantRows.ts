import { newId } from '../../base/ids.ts';
import type { Queryable } from '../pool.ts';

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

const TENANTS = `select no, id, customer_id as "customerId", name, status, created, updated from tenants
  where customer_id is not null`;

export async function listTenants(
  db: Queryable,
  { skip, limit }: { skip: number; limit: number },
): Promise<Tenant[]> {
  return (await db.query<Tenant>(`${TENANTS} order by no offset $1 limit $2`, [skip, limit])).rows;
}

/** Numbers of all tenants, also of archived ones and of the default tenant. */
export async function listTenantNumbers(db: Queryable): Promise<number[]> {
  const { rows } = await db.query<{ no: number }>('select no from tenants order by no');
  return rows.map(({ no }) => no);
}

export async function findTenant(db: Queryable, id: string): Promise<Tenant | null> {
  return (await db.query<Tenant>(`${TENANTS} and id = $1`, [id])).rows[0] ?? null;
}

/**
 * The active tenant with this customer id; null if there is none. An archived tenant no longer has its id.
 */
export async function findTenantByCustomerId(db: Queryable, customerId: string): Promise<Tenant | null> {
  const text = `${TENANTS} and customer_id = $1 and status = 'active'`;
  return (await db.query<Tenant>(text, [customerId])).rows[0] ?? null;
}

export async function insertTenant(
  db: Queryable,
  customerId: string,
  name: string,
  now: number,
): Promise<Tenant> {
  const { rows } = await db.query<{ id: string }>(
    'insert into tenants (id, customer_id, name, created, updated) values ($1, $2, $3, $4, $4) returning id',
    [newId(), customerId, name, new Date(now)],
  );
  return (await findTenant(db, rows[0]!.id))!;
}

/** Updates a tenant and raises its version, because id and status are published with the configuration. */
export async function updateTenant(
  db: Queryable,
  { id, customerId, name, status }: Pick<Tenant, 'id' | 'customerId' | 'name' | 'status'>,
  now: number,
): Promise<Tenant> {
  await db.query(
    'update tenants set customer_id = $2, name = $3, status = $4, updated = $5, version = version + 1 where id = $1',
    [id, customerId, name, status, new Date(now)],
  );
  return (await findTenant(db, id))!;
}

/** The number of the active tenant with this customer id; null if there is none. */
export async function findActiveTenant(db: Queryable, customerId: string): Promise<number | null> {
  const { rows } = await db.query<{ no: number }>(
    `select no from tenants where customer_id = $1 and status = 'active'`,
    [customerId],
  );
  return rows[0]?.no ?? null;
}

/** Default time zones by tenant number; tenants without one are left out. */
export async function readTimeZones(db: Queryable, tenants: number[]): Promise<Map<number, string>> {
  const { rows } = await db.query<{ no: number; zone: string }>(
    `select no, settings ->> 'defaultTimeZone' as zone from tenants
     where no = any($1::int4[]) and settings ? 'defaultTimeZone'`,
    [tenants],
  );
  return new Map(rows.map(({ no, zone }) => [no, zone]));
}
