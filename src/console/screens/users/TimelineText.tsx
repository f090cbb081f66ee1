import { reasonText } from '../../../base/suppressions.ts';
import type { TimelineItem } from '../../../contract/timeline.ts';
import { changeText } from '../../text/changeText.ts';
import { count, formatDate, formatNumber, words } from '../../text/format.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Tag } from '../../ui/Tiles.tsx';
import { itemAddress } from '../configuration/itemAddress.ts';
import { triggerText } from '../points/triggerText.ts';

const rankText = (rank: number | null): string => (rank === null ? 'not ranked' : `rank ${rank}`);

type Of<K extends TimelineItem['kind']> = Extract<TimelineItem, { kind: K }>;

function streakText({ change, length, periodStart }: Of<'streak'>): string {
  const period = periodStart ? ` for ${formatDate(periodStart)}` : '';
  switch (change) {
    case 'extended':
      return `Streak of ${length}`;
    case 'freezeUsed':
      return `Freeze used: streak of ${length} saved${period}`;
    case 'pauseUsed':
      return `Paused: streak of ${length} kept${period}`;
    case 'dayOff':
      return `Day off: streak of ${length} kept${period}`;
    case 'freezeEarned':
      return `Earned ${count(length, 'freeze')}`;
    default:
      return `Lost a streak of ${length}`;
  }
}

const STEP_TEXT = {
  joined: 'Joined',
  left: 'Left',
  completed: 'Completed',
  claimed: 'Claimed the rewards of',
} as const;

/** Text of an item of the timeline. */
export function TimelineText({ item }: { item: TimelineItem }) {
  switch (item.kind) {
    case 'created':
      return <span>User created</span>;
    case 'event':
      return <EventText item={item} />;
    case 'streak':
      return <span>{streakText(item)}</span>;
    case 'achievement':
      return (
        <span>
          <Badge url={item.badgeUrl} name={item.achievement.name} /> Completed{' '}
          <strong>{item.achievement.name}</strong>
          {(item.timesCompleted ?? 1) > 1 && `, ${formatNumber(item.timesCompleted!)} times by now`}
        </span>
      );
    case 'challenge':
      return (
        <span>
          {STEP_TEXT[item.change]} <strong>{item.challenge.name}</strong>
          {item.run && <span class="soft"> (run of {formatDate(item.run)})</span>}
        </span>
      );
    case 'points':
      return <PointsText item={item} />;
    case 'rank':
      return (
        <span>
          {item.leaderboard.name}: {rankText(item.rank)}, score {formatNumber(item.value)}{' '}
          <span class="soft">
            (before: {rankText(item.previousRank)}, {formatNumber(item.previousValue)})
          </span>
        </span>
      );
    case 'result':
      return (
        <span>
          <strong>{item.leaderboard.name}</strong>, run of {formatDate(item.run)}, ended: rank {item.rank}{' '}
          with a score of {formatNumber(item.value)}
        </span>
      );
    case 'notification':
      return (
        <span>
          {words(item.type)} by {item.channel} <Tag text={item.status} />{' '}
          {item.reason && <span class="soft">{reasonText(item.reason)}</span>}
        </span>
      );
    default:
      return <AdminText item={item} />;
  }
}

function AdminText({ item: { action, subject, item, after, actor, actorName } }: { item: Of<'admin'> }) {
  const reason = after?.reason;
  return (
    <span>
      {changeText(action, subject, after)}
      {item && (
        <>
          {' '}
          <a href={itemAddress(item)}>{item.name}</a>
        </>
      )}
      {typeof reason === 'string' && `: ${reason}`} <span class="soft">by {actorName ?? actor}</span>
    </span>
  );
}

function EventText({ item: { metric, value, total, attributes, origin, undone } }: { item: Of<'event'> }) {
  const given = Object.entries(attributes).map(([key, text]) => `${key}: ${text}`);
  return (
    <span>
      {origin === 'undo' && 'Undone: '}
      {metric.name} {value < 0 ? '' : '+'}
      {formatNumber(value)} <span class="soft">total {formatNumber(total)}</span>{' '}
      {given.map((text) => (
        <Tag key={text} text={text} />
      ))}
      {undone && <Tag text="undone" />}
      {origin === 'import' && <Tag text="imported" />}
    </span>
  );
}

function PointsText({ item }: { item: Of<'points'> }) {
  const { pointsSystem, awarded, total, trigger, boosts, reason } = item;
  return (
    <span>
      {awarded < 0 ? '' : '+'}
      {formatNumber(awarded)} {pointsSystem.name}{' '}
      <span class="soft">
        for: {triggerText(trigger)}
        {reason && `: ${reason}`}
        {boosts.length > 0 && `, boosted by ${boosts.join(', ')}`}, total {formatNumber(total)}
      </span>
    </span>
  );
}
