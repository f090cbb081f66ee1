import type { Pool } from './pool.ts';

/** Whose pause an id names: the pauses themselves are in the users' states. */
export async function insertPause(pool: Pool, pause: { id: string; tenant: number; userId: string }): Promise<void> {
  await pool.query('insert into streak_pauses (tenant, id, user_id) values ($1, $2, $3)', [
    pause.tenant,
    pause.id,
    pause.userId,
  ]);
}

/** @returns user ids by pause; without those that there are not */
export async function findPauses(pool: Pool, tenant: number, ids: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await pool.query<{ id: string; userId: string }>(
    'select id, user_id as "userId" from streak_pauses where tenant = $1 and id = any($2::uuid[])',
    [tenant, ids],
  );
  return new Map(rows.map(({ id, userId }) => [id, userId]));
}

export async function deletePause(pool: Pool, tenant: number, id: string): Promise<void> {
  await pool.query('delete from streak_pauses where tenant = $1 and id = $2', [tenant, id]);
}
