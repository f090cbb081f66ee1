import type { Reward } from '../../src/contract/rewards.ts';
import { parseGroup } from '../../src/redis/decoding/outcome.ts';
import { rewardTrigger } from '../../src/rules/award.ts';
import type { Config, Leaderboard } from '../../src/rules/config.ts';
import { dateOf, runCount } from './modelCalendar.ts';
import { tiersOfRun } from './modelLeagues.ts';
import type { GivenPoints } from './modelPoints.ts';
import type { ModelRankings } from './modelRankings.ts';

/** What a user gets for a run: points, and ids of achievements. */
export interface ModelReward {
  points: GivenPoints;
  achievements: string[];
}

/** How a run ended for a user. Keys of tiers are null without a league, and `reached` without a promotion. */
interface Ended {
  rank: number;
  played: string | null;
  reached: string | null;
}

export interface RewardedPlace {
  userId: string;
  rank: number;
  reward: ModelReward;
}

/** What the users of a ranking get, best first. */
export function rewardsOfRanking(
  rankings: ModelRankings,
  config: Config,
  board: Leaderboard,
  name: string,
): RewardedPlace[] {
  const places = rankings.places(name, board.maxParticipants);
  return places.map(({ userId }, i) => {
    const rank = rankings.rankOf(name, userId, board)!;
    const ended = { rank, ...tiersIn(board, name, i + 1, places.length) };
    const given = board.rewards.filter((reward) => isFor(ended, reward));
    const amounts = new Map<string, number>();
    for (const { points } of given)
      if (points) amounts.set(points.systemId, (amounts.get(points.systemId) ?? 0) + points.amount);
    const achievements = given
      .flatMap(({ achievementId }) => achievementId ?? [])
      .filter((id) => config.achievements.find((achievement) => achievement.id === id)!.status === 'active');
    const points = { trigger: rewardTrigger(board.no), amounts };
    const reward = { points, achievements: [...new Set(achievements)] };
    return { userId, rank, reward };
  });
}

function tiersIn(board: Leaderboard, name: string, rank: number, size: number): Omit<Ended, 'rank'> {
  if (board.league === null) return { played: null, reached: null };
  const [, day, ...group] = name.split(':');
  const tier = Number(parseGroup(group.join(':'))[0]);
  const run = runCount(board, dateOf('1970-01-01').plus({ days: Number(day) }));
  return tiersOfRun(board, run, tier, { rank, size });
}

function isFor({ rank, played, reached }: Ended, { from, to, tier, promoted }: Reward): boolean {
  if (from !== null && rank < from) return false;
  if (to !== null && rank > to) return false;
  if (promoted && reached === null) return false;
  return tier === null || tier === (promoted ? reached : played);
}
