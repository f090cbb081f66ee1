import type { Reward } from '../contract/rewards.ts';
import type { Config } from './config.ts';
import type { LeagueOutcome } from './league.ts';

/** How a run ended for a user. Tier (key) and outcome are null without a league. */
export interface RunResult {
  rank: number;
  tier: string | null;
  outcome: LeagueOutcome | null;
}

/** The rewards of one user. Entities are given by their numbers. */
export interface RankRewards {
  /** At most one of each points system. */
  points: { system: number; amount: number }[];
  achievements: number[];
}

/** Whether a user gets this reward, whose tier is the one in which the run was played. */
const isFor = ({ rank, tier, outcome }: RunResult, reward: Reward): boolean =>
  rank >= (reward.from ?? rank) &&
  rank <= (reward.to ?? rank) &&
  tier === (reward.tier ?? tier) &&
  (outcome === 'promoted' || !reward.promoted);

/**
 * What a user gets: all rewards whose conditions the result meets, the points of a system added up. Without
 * points systems and achievements that are gone by now, and achievements that are not active.
 */
export function rewardsOfRank(
  result: RunResult,
  rewards: readonly Reward[],
  { pointsSystems, achievements }: Config,
): RankRewards {
  const systems = new Map(pointsSystems.map(({ id, no }) => [id, no]));
  const active = new Map(
    achievements.filter(({ status }) => status === 'active').map(({ id, no }) => [id, no]),
  );
  const amounts = new Map<number, number>();
  const completed = new Set<number>();
  for (const reward of rewards) {
    const { points, achievementId } = reward;
    if (!isFor(result, reward)) continue;
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
