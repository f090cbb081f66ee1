import { CELLS_DEFAULT, type Cells, type GivenCells } from '../base/cells.ts';
import type { Queryable } from './pool.ts';
import { execute, value } from './rows.ts';

/** A fact about the installation, such as the number of cells; null if it is not set. */
export const readOnce = (db: Queryable, name: string): Promise<string | null> =>
  value(db)`select value from installation where name = ${name}`;

/**
 * Fixes a fact unless it is fixed already. If several processes do so at once, all get the value of the
 * first.
 * @returns the value in force, which the caller compares with its own
 */
export async function setOnce(db: Queryable, name: string, value: string): Promise<string> {
  await execute(db)`
    insert into installation (name, value) values (${name}, ${value}) on conflict (name) do nothing`;
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
  if (value === null) await execute(db)`delete from installation where name = ${name}`;
  else
    await execute(db)`
      insert into installation (name, value) values (${name}, ${value})
      on conflict (name) do update set value = excluded.value`;
}

/** What retention may drop: raw events, days on leaderboards, periods of streaks. */
export const KEPT = ['events', 'ranks', 'streaks'] as const;
export type KeptHistory = (typeof KEPT)[number];

const factOf = (kept: KeptHistory): string => `keep-${kept}-months`;

/** Whole months for which this installation keeps it; null for ever. */
export async function readKeptMonths(db: Queryable, kept: KeptHistory): Promise<number | null> {
  const months = await readOnce(db, factOf(kept));
  return months === null ? null : Number(months);
}

export function writeKeptMonths(db: Queryable, kept: KeptHistory, months: number | null): Promise<void> {
  return replaceFact(db, factOf(kept), months === null ? null : String(months));
}
