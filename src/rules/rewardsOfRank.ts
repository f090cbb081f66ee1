import type { Config } from './config.ts';
import type { Reward } from './rewards.ts';

/** The rewards of one user. Entities are given by their numbers. */
export interface RankRewards {
  /** At most one of each points system. */
  points: { system: number; amount: number }[];
  achievements: number[];
}

/**
 * What a rank gets: all rewards whose ranks include it, the points of a system added up. Without points
 * systems and achievements that are gone by now, and achievements that are not active.
 */
export function rewardsOfRank(
  rank: number,
  rewards: readonly Reward[],
  { pointsSystems, achievements }: Config,
): RankRewards {
  const systems = new Map(pointsSystems.map(({ id, no }) => [id, no]));
  const active = new Map(
    achievements.filter(({ status }) => status === 'active').map(({ id, no }) => [id, no]),
  );
  const amounts = new Map<number, number>();
  const completed = new Set<number>();
  for (const { from, to, points, achievementId } of rewards) {
    if (rank < from || rank > to) continue;
    const system = points && systems.get(points.systemId);
    if (system) amounts.set(system, (amounts.get(system) ?? 0) + points!.amount);
    const achievement = achievementId && active.get(achievementId);
    if (achievement) completed.add(achievement);
  }
  return {
    points: Array.from(amounts, ([system, amount]) => ({ system, amount })),
    achievements: [...completed],
  };
}
