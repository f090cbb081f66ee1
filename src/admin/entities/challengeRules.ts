import {
  ACTIVE_CHALLENGES_MAX,
  GOALS_MAX,
  REWARD_BOOST,
  REWARD_FREEZES_MAX,
  REWARDED_SYSTEMS_MAX,
} from '../../base/challengeLimits.ts';
import { NAME_CHARS_MAX } from '../../base/limits.ts';
import { REWARD_POINTS_MAX } from '../../base/rewardLimits.ts';
import type { Goal } from '../../contract/challengeGoals.ts';
import type { RewardBoost } from '../../contract/challengeRewards.ts';
import type { Condition } from '../../contract/conditions/condition.ts';
import type { Achievement, Challenge } from '../../rules/config.ts';
import type { Known } from '../kinds/checkEntity.ts';
import { checkAggregate, checkCondition } from '../kinds/conditionRules.ts';
import {
  checkFilter,
  checkKey,
  checkPositive,
  checkText,
  checkWhole,
  type Report,
} from '../kinds/ruleChecks.ts';

/** What challenges refer to, by id. */
interface KnownOfChallenges extends Known {
  achievements: ReadonlyMap<string, Achievement>;
}

/** Reports what is wrong with challenges beyond their single fields; to be called with all of them. */
export function checkChallenges(known: KnownOfChallenges): (challenge: Challenge, report: Report) => void {
  let active = 0;
  return (challenge, report) => {
    const { goals, pick, complete, where, runUnit, runInterval, status } = challenge;
    if (status === 'active' && ++active > ACTIVE_CHALLENGES_MAX)
      report('status', `must not be active for more than ${ACTIVE_CHALLENGES_MAX} challenges`);
    if (runUnit === null && runInterval !== null) report('runUnit', 'is required with runInterval');
    if (runUnit !== null && runInterval === null) report('runInterval', 'is required with runUnit');
    if (goals.length === 0 || goals.length > GOALS_MAX) report('goals', `must have 1 to ${GOALS_MAX} items`);
    const keys = new Set<string>();
    for (const [i, goal] of goals.entries()) {
      const at: Report = (field, message) => report(`goals[${i}].${field}`, message);
      checkGoal(goal, at, known);
      if (keys.has(goal.key)) at('key', `is not unique: ${goal.key}`);
      keys.add(goal.key);
    }
    if (pick !== null && pick > goals.length)
      report('pick', `must be at most the number of goals, ${goals.length}`);
    const most = pick ?? goals.length;
    if (typeof complete === 'object')
      checkWhole(report, 'complete.atLeast', complete.atLeast, 1, Math.max(1, most));
    if (where !== null && !isOfUser(where))
      report('where', 'must look at user only: say what events count in goals');
    if (challenge.claim === 'automatic' && challenge.claimDays !== null)
      report('claimDays', 'must be left out when claim is automatic');
    if (challenge.claim === 'manual' && challenge.rewards === null)
      report('claim', 'must not be manual without rewards');
    checkRewarded(challenge, report, known);
  };
}

function checkGoal(goal: Goal, at: Report, known: KnownOfChallenges): void {
  const { key, name, metricId, eventAttributes, where, aggregate, target } = goal;
  checkKey(at, key);
  if (name.trim() === '') at('name', 'must not be empty');
  else checkText(at, 'name', name, NAME_CHARS_MAX);
  if (!known.metrics.has(metricId)) at('metricId', 'must name an existing metric');
  checkFilter(at, 'eventAttributes', eventAttributes, 'event', known.attributes);
  if (where !== null) checkCondition(at, 'where', where, known.byKey);
  if (aggregate !== null) checkAggregate(at, 'aggregate', aggregate, known.byKey.event);
  checkPositive(at, 'target', target);
}

/** Whether a condition, which need not be valid, looks at nothing but the user. */
function isOfUser(condition: Condition): boolean {
  if ('all' in condition) return [condition.all].flat().every(isOfUser);
  if ('any' in condition) return [condition.any].flat().every(isOfUser);
  if ('not' in condition) return isOfUser(condition.not);
  return 'user' in condition;
}

function checkRewarded({ rewards }: Challenge, report: Report, known: KnownOfChallenges): void {
  if (rewards === null) return;
  const { points, achievementId, freezes, boost } = rewards;
  if (points.length === 0 && achievementId === null && freezes === null && boost === null)
    report('rewards', 'must have points, an achievement, freezes or a boost');
  if (points.length > REWARDED_SYSTEMS_MAX)
    report('rewards.points', `must have at most ${REWARDED_SYSTEMS_MAX} items`);
  for (const [i, { systemId, points: amount }] of points.entries()) {
    const at = `rewards.points[${i}]`;
    if (!known.pointsSystems.has(systemId)) report(`${at}.systemId`, 'must name an existing points system');
    else if (points.findIndex((one) => one.systemId === systemId) < i)
      report(`${at}.systemId`, 'names the same points system twice');
    checkWhole(report, `${at}.points`, amount, 1, REWARD_POINTS_MAX);
  }
  if (freezes !== null) checkWhole(report, 'rewards.freezes', freezes, 1, REWARD_FREEZES_MAX);
  if (boost !== null) checkBoost(boost, report, known);
  if (achievementId === null) return;
  const achievement = known.achievements.get(achievementId);
  if (achievement === undefined) report('rewards.achievementId', 'must name an existing achievement');
  else if (achievement.trigger !== 'api') {
    const { key, trigger } = achievement;
    report('rewards.achievementId', `must name an achievement of trigger api; ${key} has trigger ${trigger}`);
  }
}

function checkBoost({ systemId, multiplier, hours }: RewardBoost, report: Report, known: Known): void {
  if (!known.pointsSystems.has(systemId))
    report('rewards.boost.systemId', 'must name an existing points system');
  if (!(multiplier > 1 && multiplier < REWARD_BOOST.below))
    report('rewards.boost.multiplier', `must be greater than 1 and less than ${REWARD_BOOST.below}`);
  checkWhole(report, 'rewards.boost.hours', hours, 1, REWARD_BOOST.hoursMax);
}
