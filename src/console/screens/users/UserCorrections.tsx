import { useState } from 'preact/hooks';
import type { UserAchievementWithStatsResponse } from '../../../contract/achievement.ts';
import { ADMIN, callApi } from '../../api/client.ts';
import type { Leaderboard, PointsSystem } from '../../api/types.ts';
import { useList } from '../../api/useApi.ts';
import { Dialog } from '../../ui/Dialog.tsx';
import { SchemaForm } from '../../ui/form/SchemaForm.tsx';
import type { Schema, Value } from '../../ui/form/schema.ts';
import { REASON, ResetStreak } from './ResetStreak.tsx';
import { userPath, useUserApi } from './userAddress.ts';

const AMOUNT: Schema = {
  type: 'integer',
  description: 'Negative takes points. The total stays within 0 and the maximum.',
};

interface Correction {
  title: string;
  submitLabel: string;
  /** Keys that can be chosen. */
  keys: string[];
  /** Name of the field with the key. */
  choice: string;
  fields?: Record<string, Schema>;
  path(key: string): string;
}

/** Adjusts points, revokes achievements and hides the user from leaderboards, and resets the streak, each with a reason. */
export function UserCorrections({ id, onChanged }: { id: string; onChanged(): void }) {
  const [open, setOpen] = useState<Correction | null>(null);
  const corrections = useCorrections(id);
  const submit = async ({ [open?.choice ?? '']: key, ...body }: Value): Promise<void> => {
    const path = open!.path(encodeURIComponent(String(key)));
    await callApi('POST', `${ADMIN}${userPath(id)}${path}`, { body });
    setOpen(null);
    onChanged();
  };
  return (
    <>
      {corrections
        .filter(({ keys }) => keys.length > 0)
        .map((correction) => (
          <button type="button" key={correction.title} onClick={() => setOpen(correction)}>
            {correction.title}
          </button>
        ))}
      <ResetStreak id={id} onChanged={onChanged} />
      {open && (
        <Dialog title={open.title} onClose={() => setOpen(null)}>
          <SchemaForm
            schema={schemaOf(open)}
            initial={{}}
            submitLabel={open.submitLabel}
            done="Done. It is in the timeline and in the audit log."
            onSubmit={submit}
          />
        </Dialog>
      )}
    </>
  );
}

function useCorrections(id: string): Correction[] {
  const systems = useList<PointsSystem>('/points').data ?? [];
  const boards = useList<Leaderboard>('/leaderboards').data ?? [];
  const completed = useUserApi<UserAchievementWithStatsResponse[]>(id, '/achievements').data ?? [];
  return [
    {
      title: 'Adjust points',
      submitLabel: 'Adjust',
      choice: 'system',
      fields: { amount: AMOUNT },
      keys: systems.filter(({ status }) => status === 'active').map(({ key }) => key),
      path: (key) => `/points/${key}/adjustments`,
    },
    {
      title: 'Revoke an achievement',
      submitLabel: 'Revoke',
      choice: 'achievement',
      keys: completed.flatMap(({ key }) => key ?? []),
      path: (key) => `/achievements/${key}/revoke`,
    },
    {
      title: 'Hide from a leaderboard',
      submitLabel: 'Hide',
      choice: 'leaderboard',
      keys: boards.filter(({ status }) => status === 'active' || status === 'scheduled').map(({ key }) => key),
      path: (key) => `/leaderboards/${key}/hide`,
    },
  ];
}

const schemaOf = ({ keys, choice, fields }: Correction): Schema => ({
  type: 'object',
  required: [choice, ...Object.keys(fields ?? {}), 'reason'],
  properties: { [choice]: { enum: keys }, ...fields, reason: REASON },
});
