import { isOwnTotal, type TriedCounting } from '../../db/trials/triedCounts.ts';
import type { Counting } from '../../rules/counting.ts';
import type { TriedItem } from './trial.ts';

/** How an achievement counts events. Its counter is filled with what was before. */
export const countingOfAchievement = ({ item }: TriedItem<'achievements'>): TriedCounting => ({
  metricId: item.metricId!,
  counting: countingOf(item),
  since: 'ever',
});

/** How a trigger counts events: as a counter that exists, or from the first of the tried days on. */
export function countingOfTrigger({ present, item }: TriedItem<'pointsTriggers'>): TriedCounting {
  const counting = countingOf(item);
  const counter = present.findCounter(item.metricId!, counting);
  return {
    metricId: item.metricId!,
    counting,
    since: counter === undefined ? 'window' : Date.parse(counter.created),
  };
}

const countingOf = ({ eventAttributes, where, aggregate, per = null }: Counting): Counting => ({
  eventAttributes,
  where,
  aggregate,
  per,
});

/** What the history does not tell of a way of counting. */
export function leftOutOf(tried: TriedCounting): string[] {
  if (isOwnTotal(tried))
    return ['Totals that were higher before these days and have fallen since: they count as not reached.'];
  return tried.since === 'window'
    ? [
        'Events before these days: nothing counts so yet, and the counter of a trigger begins with the next event.',
      ]
    : ['Events that are no longer kept.'];
}
