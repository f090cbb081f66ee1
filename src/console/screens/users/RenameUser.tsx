import { USER_ID_CHARS_MAX } from '../../../base/limits.ts';
import type { AdminUser } from '../../../contract/adminUsers.ts';
import { ADMIN, callApi } from '../../api/client.ts';
import { Dialog } from '../../ui/Dialog.tsx';
import { SchemaForm } from '../../ui/form/SchemaForm.tsx';
import type { Schema } from '../../ui/form/schema.ts';
import { REASON } from '../../ui/ReasonForm.tsx';
import { userPath } from './userAddress.ts';

const SCHEMA: Schema = {
  type: 'object',
  required: ['id'],
  properties: {
    id: { type: 'string', maxLength: USER_ID_CHARS_MAX, description: 'The new id. Nobody may have it.' },
    reason: REASON,
  },
};

/** @param onRenamed gets the new id, or null if a worker will give it */
export function RenameUser({
  user,
  onClose,
  onRenamed,
}: {
  user: AdminUser;
  onClose(): void;
  onRenamed(newId: string | null): void;
}) {
  return (
    <Dialog title="Change the id" onClose={onClose}>
      <p>
        Progress, history, ranks, held events and application keys move to the new id. From then on, an event
        for <strong>{user.id}</strong> makes a new user, so stop sending this id first.
      </p>
      <SchemaForm
        schema={SCHEMA}
        initial={{}}
        submitLabel="Change the id"
        done="The user has the new id, or gets it as soon as the history has caught up."
        onSubmit={async (body) => {
          const path = `${ADMIN}${userPath(user.id)}/rename`;
          const { id, status } = await callApi<{ id: string; status: string }>('POST', path, { body });
          onRenamed(status === 'renamed' ? id : null);
        }}
      />
    </Dialog>
  );
}
