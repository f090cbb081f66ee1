import type { AdminUser } from '../../../contract/adminUsers.ts';
import type { ResponseOf } from '../../../contract/operation.ts';
import type { GetStreakLoss } from '../../../contract/streakLoss.ts';
import { callForItems } from '../../api/client.ts';
import { LIVE_MS, useApi } from '../../api/useApi.ts';
import { plural, t } from '../../text/translate.ts';
import type { Reasoned } from '../../ui/ReasonForm.tsx';
import { userPath, useUserApi } from './userAddress.tsx';

export type StreakLossReport = ResponseOf<typeof GetStreakLoss>;

const post = (path: string, body: object) => callForItems('POST', `/streaks${path}`, { body });

const nameOf = ({ name, id }: AdminUser): string => name ?? id;

/** What can be restored, and why the streak that was lost at an instant was lost. */
export const useStreakLoss = (id: string | null, at?: string) =>
  useApi(id === null ? null : `${userPath(id)}/streak-loss`, { at }, { everyMs: LIVE_MS });

export const restoreStreak = (user: AdminUser): Reasoned => ({
  label: t('Restore streak'),
  effect: <RestoreEffect user={user} />,
  done: t('Streak restored.'),
  work: (reason) => post('/restore', { users: [{ id: user.id }], reason }),
});

/** Freezes, pauses, restores and resets. */
export const streakActions = (user: AdminUser): Reasoned[] => [
  {
    label: t('Grant freeze'),
    effect: <FreezeEffect user={user} />,
    done: t('Freeze granted.'),
    work: (reason) => post('/freezes', { freezes: [{ userId: user.id }], reason }),
  },
  {
    label: t('Pause streak'),
    effect: null,
    done: t('Pause scheduled.'),
    fields: {
      start: { type: 'string', format: 'date', description: t('First day: today or later.') },
      end: { type: 'string', format: 'date', description: t('Last day.') },
    },
    required: ['start', 'end'],
    work: (reason, days) => post('/pauses', { pauses: [{ userId: user.id, ...days }], reason }),
  },
  restoreStreak(user),
  {
    label: t('Reset streak'),
    effect: <ResetEffect user={user} />,
    done: t('Streak reset. It can be restored.'),
    work: (reason) => post('/reset', { users: [{ id: user.id }], reason }),
  },
];

function RestoreEffect({ user }: { user: AdminUser }) {
  const report = useStreakLoss(user.id).data;
  if (report === null) return null;
  const { length, restorable } = report;
  if (restorable === 0) return <p>{t('{user} has no lost streak to restore.', { user: nameOf(user) })}</p>;
  return (
    <p>
      {t('The streak of {user} goes from {length} to {restored}.', {
        user: nameOf(user),
        length,
        restored: length + restorable,
      })}{' '}
      {length === 0 && t('It ends again unless it is extended in the current period.')}
    </p>
  );
}

function FreezeEffect({ user }: { user: AdminUser }) {
  const streak = useUserApi(user.id, '/streak', { historyPeriods: 0 }).data;
  if (streak === null) return null;
  const { freezes = 0, maxFreezes = 0 } = streak;
  if (freezes >= maxFreezes)
    return (
      <p>
        {plural(
          freezes,
          '{user} has {n} freeze. The maximum is {maxFreezes}, so no freeze can be granted.',
          '{user} has {n} freezes. The maximum is {maxFreezes}, so no freeze can be granted.',
          { user: nameOf(user), maxFreezes },
        )}
      </p>
    );
  return (
    <p>
      {plural(
        freezes + 1,
        '{user} goes from {freezes} to {n} freeze. The maximum is {maxFreezes}.',
        '{user} goes from {freezes} to {n} freezes. The maximum is {maxFreezes}.',
        { user: nameOf(user), freezes, maxFreezes },
      )}
    </p>
  );
}

function ResetEffect({ user }: { user: AdminUser }) {
  const streak = useUserApi(user.id, '/streak', { historyPeriods: 0 }).data;
  if (streak === null) return null;
  if (streak.length === 0) return <p>{t('{user} has no streak.', { user: nameOf(user) })}</p>;
  return (
    <p>
      {t(
        'The streak of {user} goes from {length} to 0. Freezes and pauses are kept. To reverse this, restore the streak.',
        { user: nameOf(user), length: streak.length },
      )}
    </p>
  );
}
