import { useState } from 'preact/hooks';
import type { UserAchievementWithStatsResponse } from '../../../contract/achievement.ts';
import { ADMIN, callApi } from '../../api/client.ts';
import type { Achievement, Leaderboard, PointsSystem } from '../../api/types.ts';
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
  /** What it leads to, and the way back. */
  note: string;
  submitLabel: string;
  /** Keys that can be chosen. */
  keys: string[];
  /** Name of the field with the key. */
  choice: string;
  fields?: Record<string, Schema>;
  path(key: string): string;
}

/**
 * Adjusts points, revokes achievements and hides the user from leaderboards, and resets the streak, each with
 * a reason.
 */
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
          <p>{open.note}</p>
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
  const active = (useList<Achievement>('/achievements').data ?? []).filter(
    ({ status }) => status === 'active',
  );
  return [
    {
      title: 'Adjust points',
      note: 'Levels and leaderboards follow the total. The opposite adjustment takes it back.',
      submitLabel: 'Adjust',
      choice: 'system',
      fields: { amount: AMOUNT },
      keys: systems.filter(({ status }) => status === 'active').map(({ key }) => key),
      path: (key) => `/points/${key}/adjustments`,
    },
    {
      title: 'Grant an achievement',
      note: 'Achievements that require it, points and webhooks follow. Revoking it takes the achievement back, not the points.',
      submitLabel: 'Grant',
      choice: 'achievement',
      keys: active.map(({ key }) => key).filter((key) => !completed.some((one) => one.key === key)),
      path: (key) => `/achievements/${key}/grant`,
    },
    {
      title: 'Revoke an achievement',
      note:
        'Points and achievements that came with it stay. Progress does not complete it again; granting it gives it back, and awards ' +
        'its points again.',
      submitLabel: 'Revoke',
      choice: 'achievement',
      keys: completed.flatMap(({ key }) => key ?? []),
      path: (key) => `/achievements/${key}/revoke`,
    },
    {
      title: 'Hide from a leaderboard',
      note: 'The user loses the rank in each run that is not final. The screen of the leaderboard shows the user again.',
      submitLabel: 'Hide',
      choice: 'leaderboard',
      keys: boards
        .filter(({ status }) => status === 'active' || status === 'scheduled')
        .map(({ key }) => key),
      path: (key) => `/leaderboards/${key}/hide`,
    },
  ];
}

const schemaOf = ({ keys, choice, fields }: Correction): Schema => ({
  type: 'object',
  required: [choice, ...Object.keys(fields ?? {}), 'reason'],
  properties: { [choice]: { enum: keys }, ...fields, reason: REASON },
});
