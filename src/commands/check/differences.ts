import type { Redis } from 'ioredis';
import type { Cells } from '../../base/cells.ts';
import { CHECK_LOOKS_MAX } from '../../base/limits.ts';
import type { Progress } from '../../base/progress.ts';
import type { Pool } from '../../db/pool.ts';
import type { Scripts } from '../../redis/scripts/scripts.ts';
import type { Rules } from '../../rules/inForce/rules.ts';

/** What may differ; docs/operations.md says for each kind what to do. */
export const DIFFERENCE_KINDS = [
  'users',
  'profile',
  'totals',
  'points',
  'achievements',
  'challenges',
  'streak',
  'history',
  'sequence',
  'snapshot',
  'due',
  'rankings',
  'finalRankings',
  'leagues',
  'counts',
  'rules',
  'receipts',
  'deadEntries',
] as const;
export type DifferenceKind = (typeof DIFFERENCE_KINDS)[number];

/** Something that Redis and PostgreSQL do not agree on. */
export interface Difference {
  kind: DifferenceKind;
  /** Number of the tenant; null for the whole installation. */
  tenant: number | null;
  userId: string | null;
  /** What differs, with both values. */
  text: string;
}

export type NameDifference = (kind: DifferenceKind, text: string) => void;

const identityOf = ({ kind, tenant, userId, text }: Difference): string =>
  JSON.stringify([kind, tenant, userId, text]);

/** What a look finds, by what was looked at. An empty list: it changed during the look. */
export type Look = Map<string, Difference[]>;

/**
 * Looks again at what differs, and reports the differences that two looks in a row find: both stores change
 * between the reads of one look.
 * @param look at what differed
 * @returns number of things that changed during every look
 */
export async function confirm(
  findings: Findings,
  first: Look,
  look: (keys: string[]) => Promise<Look>,
): Promise<number> {
  let before = first;
  for (let looks = 1; before.size > 0 && looks < CHECK_LOOKS_MAX; looks++) {
    const now = await look([...before.keys()]);
    for (const [key, differences] of now) {
      const known = new Set(before.get(key)!.map(identityOf));
      const confirmed = differences.filter((difference) => known.has(identityOf(difference)));
      findings.add(confirmed);
      if (confirmed.length > 0) now.delete(key);
    }
    before = now;
  }
  return before.size;
}

/** Counts differences by kind, and keeps the first ones. */
export class Findings {
  readonly counts = new Map<DifferenceKind, number>();
  readonly first: Difference[] = [];
  readonly #keptMax: number;

  constructor(keptMax: number) {
    this.#keptMax = keptMax;
  }

  add(differences: readonly Difference[]): void {
    for (const difference of differences) {
      this.counts.set(difference.kind, (this.counts.get(difference.kind) ?? 0) + 1);
      if (this.first.length < this.#keptMax) this.first.push(difference);
    }
  }
}

export interface CheckContext {
  pool: Pool;
  redis: Redis;
  scripts: Scripts;
  cells: Cells;
  tenant: number;
  rules: Rules;
  /** Whether the rankings of a run are final. */
  isFinal: (leaderboard: number, run: number) => boolean;
  findings: Findings;
  progress: Progress;
}
