import type { PointsAward } from '../contract/points.ts';
import type { Causes } from './causes.ts';

/** An award as the history holds it. */
export interface StoredAward {
  id: string;
  trigger: number;
  awarded: number;
  /** Total after the award. */
  total: number;
  date: Date;
  /** Numbers of the boosts that applied. */
  boosts: number[] | null;
}

/**
 * An award as in the response to its event. Triggers and boosts that were deleted before causes were kept are left out.
 * @param day the user's local day, on which the status of boosts depends
 */
export function awardView(causes: Causes, award: StoredAward, day: number): PointsAward {
  const trigger = causes.triggerOfAward(award.trigger, award.awarded, award.date.toISOString());
  return {
    id: award.id,
    awarded: award.awarded,
    date: award.date.toISOString(),
    total: award.total,
    ...(trigger && { trigger }),
    boosts: (award.boosts ?? []).flatMap((no) => causes.boost(no, day) ?? []),
  };
}
