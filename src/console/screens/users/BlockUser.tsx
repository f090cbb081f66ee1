import type { AdminUser } from '../../../contract/adminUsers.ts';
import { ADMIN, callApi } from '../../api/client.ts';
import { Dialog } from '../../ui/Dialog.tsx';
import { SchemaForm } from '../../ui/form/SchemaForm.tsx';
import type { Schema } from '../../ui/form/schema.ts';
import { REASON, type Reasoned } from '../../ui/ReasonForm.tsx';
import { userPath } from './userAddress.ts';

const SCHEMA: Schema = {
  type: 'object',
  required: ['reason'],
  properties: {
    reason: REASON,
    until: { type: 'string', format: 'date-time', description: 'When the block ends. Empty: never.' },
  },
};

const pathOf = ({ id }: AdminUser): string => `${ADMIN}${userPath(id)}/block`;

export const liftBlock = (user: AdminUser): Reasoned => ({
  label: 'Lift the block',
  effect: <p>Events of the user count again, and the user returns to the rankings of current runs.</p>,
  done: 'The block is lifted.',
  work: (reason) => callApi('DELETE', pathOf(user), { query: { reason } }),
});

export function BlockUser({ user, onClose }: { user: AdminUser; onClose(isDone: boolean): void }) {
  return (
    <Dialog title="Block the user" onClose={() => onClose(false)}>
      <p>Events of the user are refused, the user has no rank on leaderboards and gets no messages.</p>
      <SchemaForm
        schema={SCHEMA}
        initial={{}}
        submitLabel="Block"
        done="The user is blocked."
        onSubmit={async (body) => {
          await callApi('POST', pathOf(user), { body });
          onClose(true);
        }}
      />
    </Dialog>
  );
}
