import { isOwnTotal, type TriedCounting } from '../../db/trials/triedCounts.ts';
import type { TriedItem } from './trial.ts';

/** How an item by a metric counts events, and the counter that does so already. */
export function triedCounting({
  present,
  item,
}: Pick<TriedItem<'achievements' | 'pointsTriggers'>, 'present' | 'item'>): TriedCounting {
  const { metricId, eventAttributes, where, aggregate } = item;
  const per = 'per' in item ? item.per : null;
  const counting = { eventAttributes, where, aggregate, per };
  const counter = present.counterOf(metricId!, counting) ?? null;
  return { metricId: metricId!, counting, counter };
}

/** What the history does not tell of a way of counting. */
export const leftOutOf = (tried: TriedCounting): string[] => {
  if (isOwnTotal(tried))
    return ['Totals that were higher before these days and have fallen since: they count as not reached.'];
  return tried.counter === null
    ? ['Events before these days: nothing counts so yet, and a new counter begins with the next event.']
    : ['Events that are no longer kept.'];
};
