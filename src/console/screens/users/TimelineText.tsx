import { reasonText } from '../../../base/suppressions.ts';
import type { TimelineItem } from '../../../contract/timeline.ts';
import { changeText } from '../../text/changeText.ts';
import { formatDate, formatSigned } from '../../text/format.ts';
import { rich } from '../../text/richText.ts';
import { nameInContract, plural, t, translated } from '../../text/translate.ts';
import { Badge } from '../../ui/Badge.tsx';
import { StatusTag, Tag } from '../../ui/Tiles.tsx';
import { itemAddress } from '../configuration/itemAddress.ts';
import { triggerText } from '../points/triggerText.ts';

const rankText = (rank: number | null): string =>
  rank === null ? t('not ranked') : t('rank {rank}', { rank });

type Of<K extends TimelineItem['kind']> = Extract<TimelineItem, { kind: K }>;

function streakText({ change, length, periodStart }: Of<'streak'>): string {
  if (change === 'extended') return t('Streak of {length}', { length });
  if (change === 'freezeEarned') return plural(length, 'Earned {n} freeze', 'Earned {n} freezes');
  const kept = KEPT[change];
  if (kept === undefined) return t('Lost a streak of {length}', { length });
  if (!periodStart) return kept(length);
  return t('{text} for {period}', { text: kept(length), period: formatDate(periodStart) });
}

/** Why a streak was kept without activity. */
const KEPT: Record<string, (length: number) => string> = {
  freezeUsed: (length) => t('Freeze used: streak of {length} saved', { length }),
  pauseUsed: (length) => t('Paused: streak of {length} kept', { length }),
  dayOff: (length) => t('Day off: streak of {length} kept', { length }),
};

const STEP_TEXT = {
  joined: t('Joined {name}'),
  left: t('Left {name}'),
  completed: t('Completed {name}'),
  claimed: t('Claimed the rewards of {name}'),
} as const;

/** Text of an item of the timeline. */
export function TimelineText({ item }: { item: TimelineItem }) {
  switch (item.kind) {
    case 'created':
      return <span>{t('User created')}</span>;
    case 'event':
      return <EventText item={item} />;
    case 'streak':
      return <span>{streakText(item)}</span>;
    case 'achievement':
      return (
        <span>
          <Badge url={item.badgeUrl} name={item.achievement.name} />{' '}
          {rich(
            (item.timesCompleted ?? 1) > 1
              ? t('Completed {name}, {times} times by now', { times: item.timesCompleted })
              : t('Completed {name}'),
            { name: <strong>{item.achievement.name}</strong> },
          )}
        </span>
      );
    case 'challenge':
      return (
        <span>
          {rich(STEP_TEXT[item.change], { name: <strong>{item.challenge.name}</strong> })}{' '}
          {item.run && <span class="soft">{t('(run of {run})', { run: formatDate(item.run) })}</span>}
        </span>
      );
    case 'points':
      return <PointsText item={item} />;
    case 'rank':
      return <RankText item={item} />;
    case 'result':
      return (
        <span>
          {rich(t('{name}, run of {run}, ended: rank {rank} with a score of {value}'), {
            name: <strong>{item.leaderboard.name}</strong>,
            run: formatDate(item.run),
            rank: item.rank,
            value: item.value,
          })}
        </span>
      );
    case 'notification':
      return (
        <span>
          {t('{message} by {channel}', {
            message: nameInContract(item.type),
            channel: translated(item.channel),
          })}{' '}
          <StatusTag status={item.status} />{' '}
          {item.reason && <span class="soft">{translated(reasonText(item.reason))}</span>}
        </span>
      );
    default:
      return <AdminText item={item} />;
  }
}

function RankText({ item }: { item: Of<'rank'> }) {
  return (
    <span>
      {rich(t('{name}: {rank}, score {value} {before}'), {
        name: item.leaderboard.name,
        rank: rankText(item.rank),
        value: item.value,
        before: (
          <span class="soft">
            {t('(before: {rank}, {value})', {
              rank: rankText(item.previousRank),
              value: item.previousValue,
            })}
          </span>
        ),
      })}
    </span>
  );
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
      {typeof reason === 'string' && `: ${reason}`}{' '}
      <span class="soft">{t('by {actor}', { actor: actorName ?? actor })}</span>
    </span>
  );
}

function EventText({ item: { metric, value, total, attributes, origin, undone } }: { item: Of<'event'> }) {
  const given = Object.entries(attributes).map(([key, text]) => `${key}: ${text}`);
  return (
    <span>
      {origin === 'undo'
        ? t('Undone: {metric} {value}', { metric: metric.name, value: formatSigned(value) })
        : `${metric.name} ${formatSigned(value)}`}{' '}
      <span class="soft">{t('total {total}', { total })}</span>{' '}
      {given.map((text) => (
        <Tag key={text} text={text} />
      ))}
      {undone && <Tag text={t('undone')} />}
      {origin === 'import' && <Tag text={t('imported')} />}
    </span>
  );
}

function PointsText({ item }: { item: Of<'points'> }) {
  const { pointsSystem, awarded, total, trigger, boosts, reason } = item;
  return (
    <span>
      {formatSigned(awarded)} {pointsSystem.name}{' '}
      <span class="soft">
        {[
          reason
            ? t('for: {cause}: {reason}', { cause: triggerText(trigger), reason })
            : t('for: {cause}', { cause: triggerText(trigger) }),
          ...(boosts.length > 0 ? [t('boosted by {boosts}', { boosts: boosts.join(', ') })] : []),
          t('total {total}', { total }),
        ].join(', ')}
      </span>
    </span>
  );
}
