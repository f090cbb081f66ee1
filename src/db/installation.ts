import type { Cells, GivenCells } from '../base/cells.ts';
import type { Queryable } from './pool.ts';

const CELLS_DEFAULT = 16;

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

/** @throws Error if a tenant cannot be spread over so many cells */
export function assertWithin(spread: number, count: number): void {
  if (spread > count)
    throw new Error(`LAUREL_SPREAD is ${spread}, but there are only ${count} cells (LAUREL_CELLS)`);
}

/** The cells that the first start has fixed; null before it. */
export async function readCells(db: Queryable): Promise<Cells | null> {
  const [count, spread] = await Promise.all([readOnce(db, 'cells'), readOnce(db, 'spread')]);
  return count === null || spread === null ? null : { count: Number(count), spread: Number(spread) };
}

/**
 * Fixes the cells unless they are fixed already.
 * @returns the cells in force
 * @throws Error if there are fewer cells than LAUREL_SPREAD
 */
export async function fixCells(db: Queryable, { cells, spread }: GivenCells): Promise<Cells> {
  assertWithin(spread ?? 1, Number((await readOnce(db, 'cells')) ?? cells ?? CELLS_DEFAULT));
  return {
    count: Number(await setOnce(db, 'cells', String(cells ?? CELLS_DEFAULT))),
    spread: Number(await setOnce(db, 'spread', String(spread ?? 1))),
  };
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
