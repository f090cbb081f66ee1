import type { PointsAward } from '../contract/points.ts';
import type { StoredAward } from '../rules/award.ts';
import type { Causes } from './causeView.ts';

/**
 * An award as in the response to its event. Triggers and boosts that this server does not know yet are left
 * out.
 * @param day the user's local day, on which the status of boosts depends
 */
export function awardView(causes: Causes, award: StoredAward, day: number): PointsAward {
  const { reward } = award;
  const date = (reward === null ? award.date : new Date(reward.at)).toISOString();
  const trigger = causes.triggerOfAward(award.trigger, award.awarded, date, reward);
  return {
    id: award.id,
    awarded: award.awarded,
    date,
    total: award.total,
    ...(trigger && { trigger }),
    boosts: (award.boosts ?? []).flatMap((no) => causes.boost(no, day) ?? []),
  };
}
