import type { Queryable } from './pool.ts';

/** A fact about the installation, such as the number of cells; null if it is not set. */
export async function readOnce(db: Queryable, name: string): Promise<string | null> {
  const { rows } = await db.query<{ value: string }>('select value from installation where name = $1', [
    name,
  ]);
  return rows[0]?.value ?? null;
}

/**
 * Fixes a fact unless it is fixed already. If several processes do so at once, all get the value of the
 * first.
 * @returns the value in force, which the caller compares with its own
 */
export async function setOnce(db: Queryable, name: string, value: string): Promise<string> {
  await db.query('insert into installation (name, value) values ($1, $2) on conflict (name) do nothing', [
    name,
    value,
  ]);
  return (await readOnce(db, name))!;
}

/** Sets or removes a fact that may change. */
export async function replaceFact(db: Queryable, name: string, value: string | null): Promise<void> {
  if (value === null) await db.query('delete from installation where name = $1', [name]);
  else
    await db.query(
      'insert into installation (name, value) values ($1, $2) on conflict (name) do update set value = excluded.value',
      [name, value],
    );
}
