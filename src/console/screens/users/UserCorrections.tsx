import type { ComponentChildren } from 'preact';
import type { UserAchievementWithStatsResponse } from '../../../contract/achievement.ts';
import type { AdminUser } from '../../../contract/adminUsers.ts';
import { ADMIN, callApi } from '../../api/client.ts';
import type { Achievement, Leaderboard, PointsSystem } from '../../api/types.ts';
import { useList } from '../../api/useApi.ts';
import { Dialog } from '../../ui/Dialog.tsx';
import { SchemaForm } from '../../ui/form/SchemaForm.tsx';
import type { Choice, Schema, Value } from '../../ui/form/schema.ts';
import { REASON } from '../../ui/ReasonForm.tsx';
import { AdjustmentEffect, type Chosen, GrantEffect, RevokeEffect } from './CorrectionEffect.tsx';
import { userPath, useUserApi } from './userAddress.ts';

const AMOUNT: Schema = {
  type: 'integer',
  description: 'Negative takes points. The total stays within 0 and the maximum.',
};

export interface Correction {
  title: string;
  /** What it leads to, and the way back. */
  note: string;
  submitLabel: string;
  /** Items that can be chosen, by key. */
  choices: Choice[];
  /** Name of the field with the key. */
  choice: string;
  fields?: Record<string, Schema>;
  path(key: string): string;
  /** What it will do, when a key is chosen. */
  effectOf?(key: string, value: Value): ComponentChildren;
}

interface CorrectionDialogProps {
  user: AdminUser;
  correction: Correction;
  onClose(isDone: boolean): void;
}

export function CorrectionDialog({ user, correction, onClose }: CorrectionDialogProps) {
  const { title, note, submitLabel } = correction;
  const submit = async ({ [correction.choice]: key, ...body }: Value): Promise<void> => {
    const path = correction.path(encodeURIComponent(String(key)));
    await callApi('POST', `${ADMIN}${userPath(user.id)}${path}`, { body });
    onClose(true);
  };
  return (
    <Dialog title={title} onClose={() => onClose(false)}>
      <p>{note}</p>
      <SchemaForm
        schema={schemaOf(correction)}
        initial={{}}
        submitLabel={submitLabel}
        done="Done. It is in the timeline and in the audit log."
        effectOf={(value) => effectOf(correction, value)}
        onSubmit={submit}
      />
    </Dialog>
  );
}

/** Adjusts points, grants and revokes achievements, and hides from leaderboards, each with a reason. */
export function useCorrections(user: AdminUser): Record<'adjust' | 'grant' | 'revoke' | 'hide', Correction> {
  const activeSystems = (useList<PointsSystem>('/points').data ?? []).filter(isActive);
  const systems = activeSystems.map(({ key }) => key);
  const boards = useList<Leaderboard>('/leaderboards').data ?? [];
  const completed = useUserApi<UserAchievementWithStatsResponse[]>(user.id, '/achievements').data ?? [];
  const active = (useList<Achievement>('/achievements').data ?? []).filter(isActive);
  const completedKeys = new Set(completed.map(({ key }) => key));
  const effectFor = (Effect: typeof GrantEffect, key: string, all: (Chosen & { key?: string })[]) => {
    const achievement = all.find((one) => one.key === key);
    return achievement && <Effect {...{ user, achievement, systems }} />;
  };
  return {
    adjust: {
      title: 'Adjust points',
      note: 'Levels and leaderboards follow the total. Boosts do not apply.',
      submitLabel: 'Adjust',
      choice: 'system',
      fields: { amount: AMOUNT },
      choices: choicesOf(activeSystems),
      path: (key) => `/points/${key}/adjustments`,
      effectOf: (system, { amount }) => (
        <AdjustmentEffect {...{ user, system }} amount={Number(amount ?? 0)} />
      ),
    },
    grant: {
      title: 'Grant an achievement',
      note: 'Achievements that require it, points and webhooks follow. To take it back, revoke it: its points stay.',
      submitLabel: 'Grant',
      choice: 'achievement',
      choices: choicesOf(active.filter(({ key }) => !completedKeys.has(key))),
      path: (key) => `/achievements/${key}/grant`,
      effectOf: (key) => effectFor(GrantEffect, key, active),
    },
    revoke: {
      title: 'Revoke an achievement',
      note:
        'Points and achievements that came with it stay. Progress does not complete it again. To take it back, grant it: its ' +
        'points are awarded again.',
      submitLabel: 'Revoke',
      choice: 'achievement',
      choices: choicesOf(completed),
      path: (key) => `/achievements/${key}/revoke`,
      effectOf: (key) => effectFor(RevokeEffect, key, completed),
    },
    hide: {
      title: 'Hide from a leaderboard',
      note: 'The user loses the rank in each run that is not final. The screen of the leaderboard shows the user again.',
      submitLabel: 'Hide',
      choice: 'leaderboard',
      choices: choicesOf(boards.filter((board) => isActive(board) || board.status === 'scheduled')),
      path: (key) => `/leaderboards/${key}/hide`,
    },
  };
}

function effectOf({ choice, effectOf: of }: Correction, value: Value): ComponentChildren {
  const key = value[choice];
  return typeof key === 'string' && key !== '' && of?.(key, value);
}

const isActive = ({ status }: { status: string }): boolean => status === 'active';

const choicesOf = (items: readonly { key?: string; name: string }[]): Choice[] =>
  items.flatMap(({ key, name }) => (key === undefined ? [] : [{ value: key, label: name, detail: key }]));

const schemaOf = ({ choices, choice, fields }: Correction): Schema => ({
  type: 'object',
  required: [choice, ...Object.keys(fields ?? {}), 'reason'],
  properties: { [choice]: { type: 'string', choices }, ...fields, reason: REASON },
});
