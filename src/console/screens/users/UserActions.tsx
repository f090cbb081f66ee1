import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { AdminUser } from '../../../contract/adminUsers.ts';
import { ADMIN, APPLICATION, callApi, callForItems, fetchApi, saveFile } from '../../api/client.ts';
import { useAction } from '../../api/useAction.ts';
import { Allowed } from '../../ui/Allowed.tsx';
import { Confirm } from '../../ui/Confirm.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { SchemaForm } from '../../ui/form/SchemaForm.tsx';
import { changesOf, type Schema } from '../../ui/form/schema.ts';
import { schemaOf } from '../../ui/form/schemaOf.ts';
import { REASON } from '../../ui/ReasonForm.tsx';
import { BlockUser } from './BlockUser.tsx';
import { StreakActions } from './StreakActions.tsx';
import { UserCorrections } from './UserCorrections.tsx';
import { userPath } from './userAddress.ts';

const PAUSE: Schema = {
  type: 'object',
  required: ['start', 'end', 'reason'],
  properties: {
    start: { type: 'string', format: 'date', description: 'First day: today or later.' },
    end: { type: 'string', format: 'date', description: 'Last day.' },
    reason: REASON,
  },
};

const forUser = (path: string, body: unknown) =>
  callForItems<{ issues: [] }>('POST', `${ADMIN}${path}`, { body });

/** What an administrator can do to a user. */
export function UserActions({ user, onChanged }: { user: AdminUser; onChanged(): void }) {
  const { id } = user;
  const { route } = useLocation();
  const [dialog, setDialog] = useState<'edit' | 'pause' | null>(null);
  const { run } = useAction();
  const close = (): void => {
    setDialog(null);
    onChanged();
  };
  const exportUser = async (): Promise<void> => {
    const text = await (await fetchApi('GET', `${ADMIN}${userPath(id)}/export`)).text();
    saveFile(`user-${id}.json`, text, 'application/json');
  };
  return (
    <>
      <Allowed to="operate">
        <button type="button" onClick={() => setDialog('edit')}>
          Edit
        </button>
        <button type="button" onClick={() => setDialog('pause')}>
          Pause the streak
        </button>
        <StreakActions user={user} onChanged={onChanged} />
        <UserCorrections user={user} onChanged={onChanged} />
        <BlockUser user={user} onChanged={onChanged} />
      </Allowed>
      <button type="button" onClick={() => void run(exportUser, 'Saved as a file.')}>
        Export
      </button>
      <Confirm
        label="Erase"
        isDangerous
        needs="admin"
        done="The user was erased."
        work={() => callApi('DELETE', `${ADMIN}${userPath(id)}`)}
        onDone={() => route('/console/users')}
      >
        Everything that is stored about <strong>{user.name ?? id}</strong> is removed: profile, progress,
        ranks on leaderboards and history. This cannot be undone.
      </Confirm>
      {dialog === 'edit' && <EditUser user={user} onClose={close} />}
      {dialog === 'pause' && <PauseStreak id={id} onClose={close} />}
    </>
  );
}

function PauseStreak({ id, onClose }: { id: string; onClose(): void }) {
  return (
    <Dialog title="Pause the streak" onClose={onClose}>
      <SchemaForm
        schema={PAUSE}
        initial={{}}
        submitLabel="Pause"
        done="The pause is set."
        onSubmit={async ({ reason, ...days }) => {
          await forUser('/streaks/pauses', { pauses: [{ userId: id, ...days }], reason });
          onClose();
        }}
      />
    </Dialog>
  );
}

const PROFILE = ['name', 'email', 'tz', 'signUpDate', 'subscribeToEmails'];

function EditUser({ user, onClose }: { user: AdminUser; onClose(): void }) {
  const { name, email, tz, signUpDate, subscribeToEmails } = user;
  const initial = {
    name: name ?? undefined,
    email: email ?? undefined,
    tz: tz ?? undefined,
    signUpDate: signUpDate ?? undefined,
    subscribeToEmails,
  };
  return (
    <Dialog title="Edit the user" onClose={onClose}>
      <SchemaForm
        schema={schemaOf('user')}
        initial={initial}
        submitLabel="Save"
        done="Saved."
        isShown={(field) => PROFILE.includes(field)}
        onSubmit={async (value) => {
          await callApi('PATCH', `${APPLICATION}${userPath(user.id)}`, { body: changesOf(initial, value) });
          onClose();
        }}
      />
    </Dialog>
  );
}
