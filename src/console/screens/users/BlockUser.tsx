import { useState } from 'preact/hooks';
import type { AdminUser } from '../../../contract/adminUsers.ts';
import { ADMIN, callApi } from '../../api/client.ts';
import { Dialog } from '../../ui/Dialog.tsx';
import { SchemaForm } from '../../ui/form/SchemaForm.tsx';
import type { Schema } from '../../ui/form/schema.ts';
import { REASON, ReasonButton } from '../../ui/ReasonForm.tsx';
import { userPath } from './userAddress.ts';

const SCHEMA: Schema = {
  type: 'object',
  required: ['reason'],
  properties: {
    reason: REASON,
    until: { type: 'string', format: 'date-time', description: 'When the block ends. Empty: never.' },
  },
};

/** Blocks a user, with a reason, or lifts the block. */
export function BlockUser({ user, onChanged }: { user: AdminUser; onChanged(): void }) {
  const [isOpen, setOpen] = useState(false);
  const path = `${ADMIN}${userPath(user.id)}/block`;
  if (user.block !== null) {
    return (
      <ReasonButton
        of={{
          label: 'Lift the block',
          effect: (
            <p>Events of the user count again, and the user returns to the rankings of current runs.</p>
          ),
          done: 'The block is lifted.',
          work: (reason) => callApi('DELETE', path, { query: { reason } }),
        }}
        onDone={onChanged}
      />
    );
  }
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Block
      </button>
      {isOpen && (
        <Dialog title="Block the user" onClose={() => setOpen(false)}>
          <p>Events of the user are refused, the user has no rank on leaderboards and gets no messages.</p>
          <SchemaForm
            schema={SCHEMA}
            initial={{}}
            submitLabel="Block"
            done="The user is blocked."
            onSubmit={async (body) => {
              await callApi('POST', path, { body });
              setOpen(false);
              onChanged();
            }}
          />
        </Dialog>
      )}
    </>
  );
}
