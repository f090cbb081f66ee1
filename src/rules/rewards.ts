/** What users get who meet all conditions at the end of a run: points or an achievement. */
export interface Reward {
  /** Ranks, both inclusive. Null for every rank. */
  from: number | null;
  to: number | null;
  /** Key of the tier in which the run was played; with `promoted`, of the tier that is reached. */
  tier: string | null;
  /** Only users who go up a tier. */
  promoted: boolean;
  points: { systemId: string; amount: number } | null;
  achievementId: string | null;
}
