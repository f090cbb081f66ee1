import { useState } from 'preact/hooks';
import type { AdminUser } from '../../../contract/adminUsers.ts';
import type { TimelineItem } from '../../../contract/timeline.ts';
import { formatTime } from '../../text/format.ts';
import { t } from '../../text/translate.ts';
import { ReasonButton, type Reasoned } from '../../ui/ReasonForm.tsx';
import { StreakLossDialog } from './StreakLossDialog.tsx';
import { TimelineText } from './TimelineText.tsx';

/** One event and its results, with the event first; or a single item. */
interface TimelineGroup {
  at: string;
  items: TimelineItem[];
}

const isCausedByEvent = (item: TimelineItem): boolean =>
  item.kind === 'points'
    ? item.trigger?.type !== 'adjustment'
    : !['admin', 'notification', 'result'].includes(item.kind);

/** Groups items by event, whose results have its instant. Items come newest first, an event last. */
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

interface TimelineEntryProps {
  user: AdminUser;
  group: TimelineGroup;
  actionsOf(item: TimelineItem): Reasoned[];
  onChanged(): void;
}

/** A group of the timeline, with the actions of each item. */
export function TimelineEntry({ user, group: { at, items }, actionsOf, onChanged }: TimelineEntryProps) {
  return (
    <li>
      <time dateTime={at}>{formatTime(at, user.tz)}</time>
      <ul class="timeline-rows">
        {items.map((item, i) => (
          <li key={`${item.kind} ${i}`}>
            <TimelineText item={item} />
            <span class="timeline-actions">
              {item.kind === 'streak' && item.change === 'lost' && <WhyButton user={user} at={item.at} />}
              {actionsOf(item).map((action) => (
                <ReasonButton key={action.label} class="quiet" of={action} onDone={onChanged} />
              ))}
            </span>
          </li>
        ))}
      </ul>
    </li>
  );
}

function WhyButton({ user, at }: { user: AdminUser; at: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" class="quiet" onClick={() => setOpen(true)}>
        {t('Why?')}
      </button>
      {isOpen && <StreakLossDialog user={user} at={at} onClose={() => setOpen(false)} />}
    </>
  );
}
