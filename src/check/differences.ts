/** What may differ; docs/operations.md says for each kind what to do. */
export const DIFFERENCE_KINDS = [
  'users',
  'profile',
  'totals',
  'points',
  'achievements',
  'streak',
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

/** Names a difference of one user. */
export type NameDifference = (kind: DifferenceKind, text: string) => void;

const identityOf = ({ kind, tenant, userId, text }: Difference): string =>
  JSON.stringify([kind, tenant, userId, text]);

/** The differences of `now` that `before` has, too. */
export function seenTwice(before: readonly Difference[], now: readonly Difference[]): Difference[] {
  const known = new Set(before.map(identityOf));
  return now.filter((difference) => known.has(identityOf(difference)));
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
