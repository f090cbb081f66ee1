/** What users with one of these ranks of a final run get: points or an achievement. */
export interface Reward {
  /** Ranks, both inclusive. */
  from: number;
  to: number;
  points: { systemId: string; amount: number } | null;
  achievementId: string | null;
}
