import type { AdminUser } from '../../../contract/adminUsers.ts';
import type { ResponseOf } from '../../../contract/operation.ts';
import type { StreakResponse } from '../../../contract/streak.ts';
import type { GetStreakLoss } from '../../../contract/streakLoss.ts';
import { ADMIN, callForItems } from '../../api/client.ts';
import { LIVE_MS, useApi } from '../../api/useApi.ts';
import { count } from '../../format.ts';
import type { Reasoned } from '../../ui/ReasonForm.tsx';
import { userPath, useUserApi } from './userAddress.ts';

export type StreakLossReport = ResponseOf<typeof GetStreakLoss>;

const post = (path: string, body: object) =>
  callForItems<{ issues: [] }>('POST', `${ADMIN}/streaks${path}`, { body });

const nameOf = ({ name, id }: AdminUser): string => name ?? id;

/** What to restore, or why the streak that was lost at an instant was lost. */
export const useStreakLoss = (id: string | null, at?: string) =>
  useApi<StreakLossReport>(id === null ? null : `${userPath(id)}/streak-loss`, { at }, { everyMs: LIVE_MS });

export const restoreStreak = (user: AdminUser): Reasoned => ({
  label: 'Restore the streak',
  effect: <RestoreEffect user={user} />,
  done: 'The streak is restored.',
  work: (reason) => post('/restore', { users: [{ id: user.id }], reason }),
});

/** Freezes, restores and resets, each for a reason. */
export const streakActions = (user: AdminUser): Reasoned[] => [
  {
    label: 'Give a freeze',
    effect: <FreezeEffect user={user} />,
    done: 'The user has another freeze.',
    work: (reason) => post('/freezes', { freezes: [{ userId: user.id }], reason }),
  },
  restoreStreak(user),
  {
    label: 'Reset the streak',
    effect: <ResetEffect user={user} />,
    done: 'The streak has ended. It can be restored.',
    work: (reason) => post('/reset', { users: [{ id: user.id }], reason }),
  },
];

function RestoreEffect({ user }: { user: AdminUser }) {
  const report = useStreakLoss(user.id).data;
  if (report === null) return null;
  const { length, restorable } = report;
  if (restorable === 0) return <p>{nameOf(user)} has no lost streak that could be restored.</p>;
  return (
    <p>
      The streak of {nameOf(user)} goes from {length} to {length + restorable}.
      {length === 0 && ' It ends again unless it is extended in the present period.'}
    </p>
  );
}

function FreezeEffect({ user }: { user: AdminUser }) {
  const streak = useUserApi<StreakResponse>(user.id, '/streak', { historyPeriods: 0 }).data;
  if (streak === null) return null;
  const { freezes = 0, maxFreezes = 0 } = streak;
  if (freezes >= maxFreezes)
    return (
      <p>
        {nameOf(user)} has {count(freezes, 'freeze')}. The maximum is {maxFreezes}, so none can be given.
      </p>
    );
  return (
    <p>
      {nameOf(user)} goes from {freezes} to {count(freezes + 1, 'freeze')}. The maximum is {maxFreezes}.
    </p>
  );
}

function ResetEffect({ user }: { user: AdminUser }) {
  const streak = useUserApi<StreakResponse>(user.id, '/streak', { historyPeriods: 0 }).data;
  if (streak === null) return null;
  if (streak.length === 0) return <p>{nameOf(user)} has no streak.</p>;
  return (
    <p>
      The streak of {nameOf(user)} goes from {streak.length} to 0. Freezes and pauses stay. To take it back,
      restore the streak.
    </p>
  );
}
