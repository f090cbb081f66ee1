/** An award as the history holds it. */
export interface StoredAward {
  id: string;
  /** Number of the trigger. */
  trigger: number;
  awarded: number;
  /** Total after the award. */
  total: number;
  date: Date;
  /** Numbers of the boosts that applied. */
  boosts: number[] | null;
}
