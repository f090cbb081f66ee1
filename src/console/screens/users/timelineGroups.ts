import type { TimelineItem } from '../../../contract/timeline.ts';

/** What one event caused, with the event first; or a single item. */
export interface TimelineGroup {
  at: string;
  items: TimelineItem[];
}

const isCausedByEvent = (item: TimelineItem): boolean =>
  item.kind === 'points'
    ? item.trigger?.type !== 'adjustment'
    : !['admin', 'notification', 'result'].includes(item.kind);

/** Everything that one event caused has its instant; items come newest first, an event after its results. */
export function groupsOf(items: readonly TimelineItem[]): TimelineGroup[] {
  const groups: TimelineGroup[] = [];
  for (let i = 0; i < items.length; ) {
    const { at } = items[i]!;
    const next = items.findIndex((item, n) => n > i && item.at !== at);
    const same = items.slice(i, next === -1 ? undefined : next);
    i += same.length;
    for (const item of same) if (!isCausedByEvent(item)) groups.push({ at, items: [item] });
    const caused = same.filter(isCausedByEvent).reverse();
    if (caused.length > 0) groups.push({ at, items: caused });
  }
  return groups;
}
