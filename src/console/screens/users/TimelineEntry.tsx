import { useState } from 'preact/hooks';
import type { AdminUser } from '../../../contract/adminUsers.ts';
import type { TimelineItem } from '../../../contract/timeline.ts';
import { formatTime } from '../../format.ts';
import { ReasonDialog, type Reasoned } from '../../ui/ReasonForm.tsx';
import { StreakLossDialog } from './StreakLossDialog.tsx';
import { TimelineText } from './TimelineText.tsx';
import type { TimelineGroup } from './timelineGroups.ts';

interface TimelineEntryProps {
  user: AdminUser;
  group: TimelineGroup;
  actionsOf(item: TimelineItem): Reasoned[];
  onChanged(): void;
}

/** An event with what it caused, and what can be done about each. */
export function TimelineEntry({ user, group: { at, items }, actionsOf, onChanged }: TimelineEntryProps) {
  return (
    <li>
      <time dateTime={at}>{formatTime(at, user.tz)}</time>
      <ul class="timeline-rows">
        {items.map((item, i) => (
          <li key={`${item.kind} ${i}`}>
            <TimelineText item={item} />
            <RowButtons user={user} item={item} actions={actionsOf(item)} onChanged={onChanged} />
          </li>
        ))}
      </ul>
    </li>
  );
}

interface RowButtonsProps {
  user: AdminUser;
  item: TimelineItem;
  actions: Reasoned[];
  onChanged(): void;
}

function RowButtons({ user, item, actions, onChanged }: RowButtonsProps) {
  const [open, setOpen] = useState<Reasoned | 'loss' | null>(null);
  const isLoss = item.kind === 'streak' && item.change === 'lost';
  const close = (isDone: boolean): void => {
    setOpen(null);
    if (isDone) onChanged();
  };
  return (
    <>
      {(isLoss || actions.length > 0) && (
        <span class="timeline-actions">
          {isLoss && (
            <button type="button" class="quiet" onClick={() => setOpen('loss')}>
              Why?
            </button>
          )}
          {actions.map((action) => (
            <button type="button" class="quiet" key={action.label} onClick={() => setOpen(action)}>
              {action.label}
            </button>
          ))}
        </span>
      )}
      {open === 'loss' && <StreakLossDialog user={user} at={item.at} onClose={() => close(false)} />}
      {open !== null && open !== 'loss' && <ReasonDialog of={open} onClose={close} />}
    </>
  );
}
