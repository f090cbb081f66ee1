import { all, type Rows } from '../rows.ts';

/** Totals of a points system by user, of users who ever had points. */
export async function readPointsTotals(
  rows: Rows,
  tenant: number,
  system: number,
  userIds: readonly string[],
): Promise<Map<string, number>> {
  const found = await all(rows)<{ userId: string; total: number }>`
    select user_id as "userId", total from points_totals
    where tenant = ${tenant} and user_id = any(${userIds}::text[]) and system = ${system}`;
  return new Map(found.map(({ userId, total }) => [userId, total]));
}
