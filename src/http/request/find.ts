import { didYouMean, unknownKey } from '../../base/closest.ts';
import type { Achievement, Challenge, Metric, PointsSystem } from '../../rules/config.ts';
import { unknownMetric } from '../../rules/inForce/prepare.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { parseUserAttributes } from './parameters.ts';
import { invalid } from './refuse.ts';

/** What a request names, found in the rules. */

/** @throws ServiceError `notFound` */
export function findMetric(rules: Rules, key: string): Metric {
  const metric = rules.metricByKey.get(key);
  if (metric === undefined) throw unknownMetric(rules, key);
  return metric;
}

/** @throws ServiceError `notFound` */
export function findAchievement(rules: Rules, key: string): Achievement {
  const achievement = rules.achievementByKey.get(key);
  if (achievement === undefined) throw unknownKey('Achievement', key, rules.achievementByKey.keys());
  return achievement;
}

export const activeChallenges = ({ config }: Rules): Challenge[] =>
  config.challenges.filter(({ status }) => status === 'active');

/** @throws ServiceError `notFound` */
export function findActiveChallenge(rules: Rules, key: string): Challenge {
  const active = activeChallenges(rules);
  const challenge = active.find((one) => one.key === key);
  if (challenge !== undefined) return challenge;
  throw unknownKey(
    'Challenge',
    key,
    active.map((one) => one.key),
  );
}

/** @throws ServiceError `notFound` */
export function findSystem(rules: Rules, key: string): PointsSystem {
  const system = rules.systemByKey.get(key);
  if (system === undefined) throw unknownKey('Points system', key, rules.systemByKey.keys());
  return system;
}

/**
 * Values of user attributes that `?userAttributes=` names, by number; null without the parameter.
 * @throws ServiceError `invalid` naming the keys that are not set up
 */
export function readUserAttributes(rules: Rules, text: string | undefined): Map<number, string> | null {
  const given = parseUserAttributes(text);
  if (given === null) return null;
  const unknown = [...given.keys()].filter((key) => !rules.userAttributeByKey.has(key));
  if (unknown.length > 0) {
    const hint = didYouMean(unknown[0]!, rules.userAttributeByKey.keys());
    throw invalid(`userAttributes names unknown attributes: ${unknown.join(', ')}${hint}`);
  }
  return new Map([...given].map(([key, value]) => [rules.userAttributeByKey.get(key)!.no, value]));
}
