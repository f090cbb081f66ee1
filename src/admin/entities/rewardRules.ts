import { REWARD_POINTS_MAX, REWARDS_MAX } from '../../base/rewardLimits.ts';
import type { Reward } from '../../contract/rewards.ts';
import type { Achievement, Leaderboard } from '../../rules/config.ts';
import { checkWhole, type Report } from '../kinds/ruleChecks.ts';

/** What rewards refer to, by id. */
interface Known {
  pointsSystems: ReadonlySet<string>;
  achievements: ReadonlyMap<string, Achievement>;
}

/** Reports every fault of the rewards of a leaderboard. */
export function checkRewards(board: Leaderboard, report: Report, known: Known): void {
  const { rewards, runUnit, end } = board;
  if (rewards.length === 0) return;
  if (runUnit === null && end === null)
    report('rewards', 'need runUnit or end, because they are given when a run is final');
  if (rewards.length > REWARDS_MAX) report('rewards', `must have at most ${REWARDS_MAX} items`);
  for (const [i, reward] of rewards.entries()) {
    const at: Report = (field, message) => report(`rewards[${i}]${field}`, message);
    checkRanks(board, reward, at);
    checkTier(board, reward, at);
    checkGiven(reward, at, known);
  }
}

function checkRanks(
  { league, maxParticipants }: Leaderboard,
  { from, to, tier, promoted }: Reward,
  at: Report,
): void {
  const max = league ? league.at(-1)!.groupSize : maxParticipants;
  checkWhole(at, '.from', from, 1, max);
  checkWhole(at, '.to', to, 1, max);
  if (from === null && to === null) {
    if (tier === null && !promoted)
      at('', 'must have ranks (from and to), or a tier or promoted of a league');
  } else if (from === null) at('.from', 'is required with to');
  else if (to === null) at('.to', 'is required with from');
  else if (to < from) at('.to', `must be at least from, ${from}`);
}

function checkTier({ league }: Leaderboard, { tier, promoted }: Reward, at: Report): void {
  if (league === null) {
    if (tier !== null) at('.tier', 'must be left out without a league');
    if (promoted) at('.promoted', 'must be left out without a league');
    return;
  }
  const keys = league.at(-1)!.tiers.map(({ key }) => key);
  if (tier === null) return;
  if (!keys.includes(tier)) at('.tier', `must be a tier of the league: ${keys.join(', ')}`);
  else if (promoted && tier === keys[0]) at('.tier', `must not be the lowest, which nobody is promoted to`);
}

function checkGiven(
  { points, achievementId }: Reward,
  at: Report,
  { pointsSystems, achievements }: Known,
): void {
  if ((points === null) === (achievementId === null)) at('', 'must have either points or an achievement');
  if (points !== null && !pointsSystems.has(points.systemId))
    at('.points.systemId', 'must name an existing points system');
  if (points !== null) checkWhole(at, '.points.amount', points.amount, 1, REWARD_POINTS_MAX);
  if (achievementId === null) return;
  const achievement = achievements.get(achievementId);
  if (achievement === undefined) at('.achievementId', 'must name an existing achievement');
  else if (achievement.trigger !== 'api') {
    const { key, trigger } = achievement;
    at('.achievementId', `must name an achievement of trigger api; ${key} has trigger ${trigger}`);
  }
}
