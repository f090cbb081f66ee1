import type { Queryable } from './pool.ts';

/** A fact that is fixed at first boot, such as the number of shards; null if it has not been fixed yet. */
export async function getFact(db: Queryable, name: string): Promise<string | null> {
  const { rows } = await db.query<{ value: string }>('select value from installation where name = $1', [name]);
  return rows[0]?.value ?? null;
}

/**
 * Fixes a fact unless it is fixed already. If several processes do so at once, all get the value of the first.
 * @returns the value in force, which the caller compares with its own
 */
export async function setFact(db: Queryable, name: string, value: string): Promise<string> {
  await db.query('insert into installation (name, value) values ($1, $2) on conflict (name) do nothing', [name, value]);
  return (await getFact(db, name))!;
}
