import { ServiceError } from '../../base/errors.ts';
import type { Metric, PointsSystem } from '../../rules/config.ts';
import type { Rules } from '../../rules/rules.ts';

/** What a path names by its key. Each throws ServiceError `notFound`. */

export function findMetric(rules: Rules, key: string): Metric {
  const metric = rules.metricByKey.get(key);
  if (metric === undefined) throw new ServiceError('notFound', `Metric ${key} does not exist`);
  return metric;
}

export function findSystem(rules: Rules, key: string): PointsSystem {
  const system = rules.systemByKey.get(key);
  if (system === undefined) throw new ServiceError('notFound', `Points system ${key} does not exist`);
  return system;
}
