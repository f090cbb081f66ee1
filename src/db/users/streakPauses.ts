import type { Pool, Queryable } from '../pool.ts';
import { all, execute } from '../rows.ts';

/** Stores which user each pause belongs to. The pauses themselves are in the users' states. */
export async function insertPauses(
  pool: Pool,
  tenant: number,
  pauses: readonly { id: string; userId: string }[],
): Promise<void> {
  await execute(pool)`
    insert into streak_pauses (tenant, id, user_id) select ${tenant}, *
    from unnest(${pauses.map(({ id }) => id)}::uuid[], ${pauses.map(({ userId }) => userId)}::text[])`;
}

/** @returns user ids by the id of the pause; unknown pauses are left out */
export async function findPauses(
  pool: Pool,
  tenant: number,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const rows = await all(pool)<{ id: string; userId: string }>`
    select id, user_id as "userId" from streak_pauses where tenant = ${tenant} and id = any(${ids}::uuid[])`;
  return new Map(rows.map(({ id, userId }) => [id, userId]));
}

export async function deletePause(db: Queryable, tenant: number, id: string): Promise<void> {
  await execute(db)`delete from streak_pauses where tenant = ${tenant} and id = ${id}`;
}
