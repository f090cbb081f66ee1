import type { FileReward } from '../../contract/configFile.ts';
import type { Reward } from '../../rules/rewards.ts';
import type { References } from './fileReferences.ts';

/** Rewards of a leaderboard in a configuration file. */

export function rewardOf(
  { from, to, tier, promoted = false, points, achievement }: FileReward,
  refs: References,
  path: string,
): Reward {
  const systemId = points && refs.systemId(points.system, `${path}.points.system`);
  return {
    from: from ?? null,
    to: to ?? null,
    tier: tier ?? null,
    promoted,
    points: points ? { systemId: systemId!, amount: points.amount } : null,
    achievementId: achievement === undefined ? null : refs.achievementId(achievement, `${path}.achievement`),
  };
}

/** The inverse. @param keyOf the key of an entity, by its id */
export function rewardItem(
  { from, to, tier, promoted, points, achievementId }: Reward,
  keyOf: (id: string) => string,
): FileReward {
  return {
    ...(from !== null && { from }),
    ...(to !== null && { to }),
    ...(tier !== null && { tier }),
    ...(promoted && { promoted }),
    ...(points && { points: { system: keyOf(points.systemId), amount: points.amount } }),
    ...(achievementId !== null && { achievement: keyOf(achievementId) }),
  };
}
