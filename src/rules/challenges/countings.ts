import type { Config } from '../config.ts';
import type { Counting, NamedAttribute } from '../counting.ts';
import { typedAttributesOf } from '../counting.ts';
import { countingOfGoal } from './goals.ts';

/** What is configured to be counted. */

/** A way of counting the events of a metric. */
export interface CountedMetric {
  metricId: string;
  counting: Counting;
}

type Achievement = Config['achievements'][number];
type PointsTrigger = Config['pointsTriggers'][number];
type Leaderboard = Config['leaderboards'][number];
type Challenge = Config['challenges'][number];
/** What may count events. */
export type CountingItem = Achievement | PointsTrigger | Leaderboard | Challenge;

/** What an item counts; nothing if it looks at no metric. */
export function countedBy(item: CountingItem): CountedMetric[] {
  if ('goals' in item)
    return item.goals.map((goal) => ({ metricId: goal.metricId, counting: countingOfGoal(item, goal) }));
  return item.metricId === null ? [] : [{ metricId: item.metricId, counting: item }];
}

export const countingItems = ({
  achievements,
  pointsTriggers,
  leaderboards,
  challenges,
}: Config): CountingItem[] => [...achievements, ...pointsTriggers, ...leaderboards, ...challenges];

/** The attributes whose type matters to an item. */
export const typedAttributesIn = (item: CountingItem): NamedAttribute[] =>
  countedBy(item).flatMap(({ counting }) => typedAttributesOf(counting));
