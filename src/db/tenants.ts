import type { Queryable } from './pool.ts';

/** The number of the tenant with this customer's id; null when there is none, or it is archived. */
export async function findActiveTenant(db: Queryable, customerId: string): Promise<number | null> {
  const { rows } = await db.query<{ no: number }>(
    `select no from tenants where customer_id = $1 and status = 'active'`,
    [customerId],
  );
  return rows[0]?.no ?? null;
}

/** Numbers of the tenants that have ever had rules in force, archived ones too: only they can have users. */
export async function listPublishedTenants(db: Queryable): Promise<number[]> {
  const { rows } = await db.query<{ no: number }>('select no from tenants where published >= 0 order by no');
  return rows.map(({ no }) => no);
}
