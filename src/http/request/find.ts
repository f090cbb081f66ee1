import { ServiceError } from '../../base/errors.ts';
import type { Metric, PointsSystem } from '../../rules/config.ts';
import { unknownMetric } from '../../rules/prepare.ts';
import type { Rules } from '../../rules/rules.ts';
import { parseUserAttributes } from './parameters.ts';

/** What a request names, found in the rules. */

/** @throws ServiceError `notFound` */
export function findMetric(rules: Rules, key: string): Metric {
  const metric = rules.metricByKey.get(key);
  if (metric === undefined) throw unknownMetric(rules, key);
  return metric;
}

/** @throws ServiceError `notFound` */
export function findSystem(rules: Rules, key: string): PointsSystem {
  const system = rules.systemByKey.get(key);
  if (system === undefined) throw new ServiceError('notFound', `Points system ${key} does not exist`);
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
    throw new ServiceError(
      'invalid',
      `userAttributes names attributes that have not been set up: ${unknown.join(', ')}`,
    );
  }
  return new Map([...given].map(([key, value]) => [rules.userAttributeByKey.get(key)!.no, value]));
}
