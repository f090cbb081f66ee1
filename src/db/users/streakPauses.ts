import type { Pool, Queryable } from '../pool.ts';

/** Stores which user each pause belongs to. The pauses themselves are in the users' states. */
export async function insertPauses(
  pool: Pool,
  tenant: number,
  pauses: readonly { id: string; userId: string }[],
): Promise<void> {
  await pool.query(
    'insert into streak_pauses (tenant, id, user_id) select $1, * from unnest($2::uuid[], $3::text[])',
    [tenant, pauses.map(({ id }) => id), pauses.map(({ userId }) => userId)],
  );
}

/** @returns user ids by the id of the pause; unknown pauses are left out */
export async function findPauses(
  pool: Pool,
  tenant: number,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const { rows } = await pool.query<{ id: string; userId: string }>(
    'select id, user_id as "userId" from streak_pauses where tenant = $1 and id = any($2::uuid[])',
    [tenant, ids],
  );
  return new Map(rows.map(({ id, userId }) => [id, userId]));
}

export async function deletePause(db: Queryable, tenant: number, id: string): Promise<void> {
  await db.query('delete from streak_pauses where tenant = $1 and id = $2', [tenant, id]);
}
