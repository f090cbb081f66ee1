import type { Queryable } from '../pool.ts';

export async function countUsers(db: Queryable, tenant: number): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    'select count(*)::float8 as count from users where tenant = $1',
    [tenant],
  );
  return rows[0]!.count;
}

/** Users who have completed each achievement, by its number. */
export async function countCompletions(db: Queryable, tenant: number): Promise<Map<number, number>> {
  const { rows } = await db.query<{ achievement: number; count: number }>(
    `select achievement, count(*)::float8 as count from completed_achievements where tenant = $1
     group by achievement`,
    [tenant],
  );
  return new Map(rows.map(({ achievement, count }) => [achievement, count]));
}
