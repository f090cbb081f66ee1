import { REWARD_POINTS_MAX, REWARDS_MAX } from '../../base/rewardLimits.ts';
import type { Achievement, Leaderboard } from '../../rules/config.ts';
import type { Reward } from '../../rules/rewards.ts';
import { present } from './formFields.ts';
import { checkWhole, type Report } from './ruleChecks.ts';

/** Rewards of a leaderboard in the Admin API, where what they do not give may be left out. */
type GivenReward = Pick<Reward, 'from' | 'to'> & Partial<Reward>;

export const readRewards = (rewards: GivenReward[] | null): { rewards: Reward[] } => ({
  rewards: (rewards ?? []).map(({ from, to, points = null, achievementId = null }) => ({
    from,
    to,
    points: points && { systemId: points.systemId, amount: points.amount },
    achievementId,
  })),
});

export const rewardView = ({ from, to, points, achievementId }: Reward): GivenReward => ({
  from,
  to,
  ...present({ points, achievementId }),
});

/** What rewards refer to, by id. */
interface Known {
  systems: ReadonlySet<string>;
  achievements: ReadonlyMap<string, Achievement>;
}

/** Reports every fault of the rewards of a leaderboard. */
export function checkRewards(board: Leaderboard, report: Report, known: Known): void {
  const { rewards, runUnit, end, maxParticipants } = board;
  if (rewards.length === 0) return;
  if (runUnit === null && end === null)
    report('rewards', 'need runUnit or end, because they are given when a run is final');
  if (rewards.length > REWARDS_MAX) report('rewards', `must have at most ${REWARDS_MAX} items`);
  for (const [i, reward] of rewards.entries()) {
    const { from, to } = reward;
    const at: Report = (field, message) => report(`rewards[${i}]${field}`, message);
    checkWhole(at, '.from', from, 1, maxParticipants);
    checkWhole(at, '.to', to, 1, maxParticipants);
    if (to < from) at('.to', `must be at least from, ${from}`);
    checkGiven(reward, at, known);
  }
}

function checkGiven({ points, achievementId }: Reward, at: Report, { systems, achievements }: Known): void {
  if ((points === null) === (achievementId === null)) at('', 'must have either points or an achievement');
  if (points !== null && !systems.has(points.systemId))
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
