import { isOwnTotal, type TriedCounting } from '../../db/trials/triedCounts.ts';
import type { Counting } from '../../rules/counting.ts';

/** How an achievement or a trigger of a metric counts events. Its counter is filled with what was before. */
export const countingOf = ({
  metricId,
  eventAttributes,
  where,
  aggregate,
  per = null,
}: Counting & { metricId: string | null }): TriedCounting => ({
  metricId: metricId!,
  counting: { eventAttributes, where, aggregate, per },
});

/** What the history does not tell of a way of counting. */
export const leftOutOf = (tried: TriedCounting): string[] => [
  isOwnTotal(tried)
    ? 'Totals that were higher before these days and have fallen since: they count as not reached.'
    : 'Events that are no longer kept.',
];
