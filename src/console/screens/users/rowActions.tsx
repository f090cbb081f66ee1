import type { AdminUser } from '../../../contract/adminUsers.ts';
import type { TimelineItem } from '../../../contract/timeline.ts';
import { useList } from '../../api/useApi.ts';
import { t } from '../../text/translate.ts';
import { isAllowed } from '../../ui/Allowed.tsx';
import type { Reasoned } from '../../ui/ReasonForm.tsx';
import { visibility } from '../leaderboards/HiddenUsers.tsx';
import { reverseAward } from './adjustPoints.ts';
import { AdjustmentEffect, type Chosen, GrantEffect, RevokeEffect } from './CorrectionEffect.tsx';
import { restoreStreak, type StreakLossReport } from './StreakActions.tsx';
import { undoEvent } from './undoEvent.tsx';
import { postToUser, useUserApi } from './userAddress.tsx';

type Of<K extends TimelineItem['kind']> = Extract<TimelineItem, { kind: K }>;

/** What the corrections of a user depend on. */
interface Known {
  user: AdminUser;
  /** Keys of points systems. */
  systems: readonly string[];
  /** Achievements that can be granted, by key. */
  grantable: ReadonlyMap<string, Chosen>;
  completed: ReadonlyMap<string, Chosen>;
  loss: StreakLossReport | null;
}

/** The corrections that still have an effect, by item of the timeline. */
export function useRowActions(
  user: AdminUser,
  loss: StreakLossReport | null,
): (item: TimelineItem) => Reasoned[] {
  const systems = (useList('/points').data ?? [])
    .filter(({ status }) => status === 'active')
    .map(({ key }) => key);
  const achievements = useList('/achievements').data ?? [];
  const own = useUserApi(user.id, '/achievements').data ?? [];
  const completed = new Map(own.flatMap((one) => (one.key ? [[one.key, one] as const] : [])));
  const grantable = new Map(
    achievements
      .filter(({ key, status }) => status === 'active' && !completed.has(key))
      .map((one) => [one.key, one] as const),
  );
  const known: Known = { user, systems, grantable, completed, loss };
  if (!isAllowed('operate')) return () => [];
  return (item) => actionsOf(known, item).filter((action) => action !== null);
}

function actionsOf(known: Known, item: TimelineItem): (Reasoned | null)[] {
  switch (item.kind) {
    case 'event':
      return [undo(known, item)];
    case 'points':
      return [takeBackPoints(known, item)];
    case 'achievement':
      return [revoke(known, item.achievement.key), grantAgain(known, item.achievement.key)];
    case 'streak':
      return [item.change === 'lost' && item.at === known.loss?.loss?.lostAt ? restore(known) : null];
    case 'admin':
      return [ofAdmin(known, item)];
    default:
      return [];
  }
}

function undo({ user }: Known, { eventId, value, origin, undone, metric }: Of<'event'>): Reasoned | null {
  if (origin !== null || undone || value <= 0) return null;
  return undoEvent({ user, eventId }, metric.name);
}

function takeBackPoints({ user, systems }: Known, award: Of<'points'>): Reasoned | null {
  const {
    awarded,
    pointsSystem: { key },
  } = award;
  if (awarded === 0 || !systems.includes(key)) return null;
  return {
    label: awarded > 0 ? t('Take back') : t('Give back'),
    effect: <AdjustmentEffect user={user} system={key} amount={-awarded} />,
    done: t('Done. An award can be taken back only once.'),
    work: (reason) => reverseAward(user.id, key, award, reason),
  };
}

function revoke({ user, systems, completed }: Known, key: string): Reasoned | null {
  const achievement = completed.get(key);
  if (achievement === undefined) return null;
  return {
    label: t('Revoke'),
    effect: <RevokeEffect {...{ user, achievement, systems }} />,
    done: t('Achievement revoked.'),
    work: (reason) => postToUser(user.id, `/achievements/${encodeURIComponent(key)}/revoke`, { reason }),
  };
}

function grantAgain({ user, systems, grantable }: Known, key: string): Reasoned | null {
  const achievement = grantable.get(key);
  if (achievement === undefined) return null;
  return {
    label: t('Grant again'),
    effect: <GrantEffect {...{ user, achievement, systems }} />,
    done: t('Achievement granted.'),
    work: (reason) => postToUser(user.id, `/achievements/${encodeURIComponent(key)}/grant`, { reason }),
  };
}

const restore = ({ user, loss }: Known): Reasoned | null =>
  loss !== null && loss.restorable > 0 ? restoreStreak(user) : null;

/** Reverses the action of an administrator. The points of an adjustment have a row of their own. */
function ofAdmin(known: Known, { action, subject, before, after }: Of<'admin'>): Reasoned | null {
  const achievement = after?.achievement ?? before?.achievement;
  const board = after?.leaderboard ?? before?.leaderboard;
  if (subject === 'completions' && typeof achievement === 'string')
    return action === 'create' ? revoke(known, achievement) : grantAgain(known, achievement);
  if (subject === 'hiddenUsers' && typeof board === 'string')
    return visibility(action === 'create' ? 'show' : 'hide', board, known.user);
  if (subject === 'streaks' && after?.length === 0 && before?.length === known.loss?.restorable)
    return restore(known);
  return null;
}
