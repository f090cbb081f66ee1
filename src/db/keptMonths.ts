import { readOnce, replaceFact } from './installation.ts';
import type { Queryable } from './pool.ts';

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
