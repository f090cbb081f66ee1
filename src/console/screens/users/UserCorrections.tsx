import { useState } from 'preact/hooks';
import type { UserAchievementWithStatsResponse } from '../../../contract/achievement.ts';
import { ADMIN, callApi } from '../../api/client.ts';
import type { PointsSystem } from '../../api/types.ts';
import { useApi } from '../../api/useApi.ts';
import { Dialog } from '../../ui/Dialog.tsx';
import { SchemaForm } from '../../ui/form/SchemaForm.tsx';
import type { Schema, Value } from '../../ui/form/schema.ts';
import { userPath } from './address.ts';
import { useUserApi } from './useUserApi.ts';

const REASON: Schema = { type: 'string', description: 'For the audit log and the timeline.' };

/** Adjusts points and revokes achievements, each with a reason. */
export function UserCorrections({ id, onChanged }: { id: string; onChanged(): void }) {
  const [dialog, setDialog] = useState<'points' | 'achievement' | null>(null);
  const systems = useApi<PointsSystem[]>('/points', { limit: 100 }).data ?? [];
  const completed = useUserApi<UserAchievementWithStatsResponse[]>(id, '/achievements').data ?? [];
  const correct = async (path: string, body: Value): Promise<void> => {
    await callApi('POST', `${ADMIN}${userPath(id)}${path}`, { body });
    setDialog(null);
    onChanged();
  };
  const schema: Record<'points' | 'achievement', Schema> = {
    points: {
      type: 'object',
      required: ['system', 'amount', 'reason'],
      properties: {
        system: { enum: systems.filter(({ status }) => status === 'active').map(({ key }) => key) },
        amount: { type: 'integer', description: 'Negative takes points. The total stays within 0 and the maximum.' },
        reason: REASON,
      },
    },
    achievement: {
      type: 'object',
      required: ['achievement', 'reason'],
      properties: { achievement: { enum: completed.flatMap(({ key }) => key ?? []) }, reason: REASON },
    },
  };
  const submit = ({ system, achievement, ...body }: Value): Promise<void> =>
    dialog === 'points'
      ? correct(`/points/${encodeURIComponent(String(system))}/adjustments`, body)
      : correct(`/achievements/${encodeURIComponent(String(achievement))}/revoke`, body);
  return (
    <>
      {systems.length > 0 && (
        <button type="button" onClick={() => setDialog('points')}>
          Adjust points
        </button>
      )}
      {completed.length > 0 && (
        <button type="button" onClick={() => setDialog('achievement')}>
          Revoke an achievement
        </button>
      )}
      {dialog && (
        <Dialog title={dialog === 'points' ? 'Adjust points' : 'Revoke an achievement'} onClose={() => setDialog(null)}>
          <SchemaForm
            schema={schema[dialog]}
            initial={{}}
            submitLabel={dialog === 'points' ? 'Adjust' : 'Revoke'}
            done="Done. It is in the timeline and in the audit log."
            onSubmit={submit}
          />
        </Dialog>
      )}
    </>
  );
}
