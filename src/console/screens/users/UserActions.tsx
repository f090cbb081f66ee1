import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { AdminUser } from '../../../contract/adminUsers.ts';
import { ADMIN, APPLICATION, callApi, callForItems, fetchApi, saveFile } from '../../api/client.ts';
import { useAction } from '../../api/useAction.ts';
import { ActionMenu, type MenuGroup } from '../../ui/ActionMenu.tsx';
import { isAllowed } from '../../ui/Allowed.tsx';
import { ConfirmDialog } from '../../ui/Confirm.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { SchemaForm } from '../../ui/form/SchemaForm.tsx';
import { changesOf, type Schema } from '../../ui/form/schema.ts';
import { schemaOf } from '../../ui/form/schemaOf.ts';
import { REASON, ReasonDialog, type Reasoned } from '../../ui/ReasonForm.tsx';
import { BlockUser, liftBlock } from './BlockUser.tsx';
import { RenameUser } from './RenameUser.tsx';
import { streakActions } from './StreakActions.tsx';
import { type Correction, CorrectionDialog, useCorrections } from './UserCorrections.tsx';
import { userAddress, userPath } from './userAddress.ts';

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

/** An action that asks something before it changes the user. */
interface UserAction {
  label: string;
  isDangerous?: boolean;
  dialog(close: (isDone: boolean) => void): ComponentChildren;
}

const reasoned = (of: Reasoned): UserAction => ({
  label: of.label,
  dialog: (close) => <ReasonDialog of={of} onClose={close} />,
});

/** What the role can do to a user: the most frequent actions as buttons, all others in a menu. */
export function UserActions({ user, onChanged }: { user: AdminUser; onChanged(): void }) {
  const { run } = useAction();
  const save = async (): Promise<void> => {
    const text = await (await fetchApi('GET', `${ADMIN}${userPath(user.id)}/export`)).text();
    saveFile(`user-${user.id}.json`, text, 'application/json');
  };
  const saving = {
    title: 'Data',
    actions: [{ label: 'Export', onSelect: () => void run(save, 'Saved as a file.') }],
  };
  if (isAllowed('operate')) return <Changes user={user} onChanged={onChanged} saving={saving} />;
  return <ActionMenu label="More actions" groups={[saving]} />;
}

function Changes({ user, onChanged, saving }: { user: AdminUser; onChanged(): void; saving: MenuGroup }) {
  const { route } = useLocation();
  const [open, setOpen] = useState<UserAction | null>(null);
  const { adjust, grant, revoke, hide } = useCorrections(user);
  const corrected = (correction: Correction): UserAction[] =>
    correction.choices.length === 0
      ? []
      : [
          {
            label: correction.title,
            dialog: (close) => <CorrectionDialog user={user} correction={correction} onClose={close} />,
          },
        ];
  const [giveFreeze, ...restoreAndReset] = streakActions(user).map(reasoned);
  const erased = (): void => void route('/console/users');
  const group = (title: string, actions: UserAction[]): MenuGroup => ({
    title,
    actions: actions.map((action) => ({ ...action, onSelect: () => setOpen(action) })),
  });
  const close = (isDone: boolean): void => {
    setOpen(null);
    if (isDone) onChanged();
  };
  return (
    <>
      {[...corrected(adjust), editAction(user)].map((action) => (
        <button type="button" key={action.label} onClick={() => setOpen(action)}>
          {action.label}
        </button>
      ))}
      <ActionMenu
        label="More actions"
        groups={[
          group('Streak', [giveFreeze!, pauseAction(user), ...restoreAndReset]),
          group('Achievements and leaderboards', [grant, revoke, hide].flatMap(corrected)),
          saving,
          group('Id', [renameAction(user, (id) => (id === null ? close(true) : route(userAddress(id))))]),
          group('Block or erase', [
            user.block === null ? blockAction(user) : reasoned(liftBlock(user)),
            ...(isAllowed('admin') ? [eraseAction(user, erased)] : []),
          ]),
        ]}
      />
      {open?.dialog(close)}
    </>
  );
}

const editAction = (user: AdminUser): UserAction => ({
  label: 'Edit',
  dialog: (close) => <EditUser user={user} onClose={close} />,
});

const pauseAction = ({ id }: AdminUser): UserAction => ({
  label: 'Pause the streak',
  dialog: (close) => <PauseStreak id={id} onClose={close} />,
});

const blockAction = (user: AdminUser): UserAction => ({
  label: 'Block',
  isDangerous: true,
  dialog: (close) => <BlockUser user={user} onClose={close} />,
});

const renameAction = (user: AdminUser, onRenamed: (newId: string | null) => void): UserAction => ({
  label: 'Change the id',
  dialog: (close) => <RenameUser user={user} onClose={() => close(false)} onRenamed={onRenamed} />,
});

const eraseAction = ({ id, name }: AdminUser, onErased: () => void): UserAction => ({
  label: 'Erase',
  isDangerous: true,
  dialog: (close) => (
    <ConfirmDialog
      label="Erase"
      isDangerous
      done="The user was erased."
      work={() => callApi('DELETE', `${ADMIN}${userPath(id)}`)}
      onClose={(isDone) => (isDone ? onErased() : close(false))}
    >
      Everything that is stored about <strong>{name ?? id}</strong> is removed: profile, progress, ranks on
      leaderboards and history. This cannot be undone.
    </ConfirmDialog>
  ),
});

function PauseStreak({ id, onClose }: { id: string; onClose(isDone: boolean): void }) {
  return (
    <Dialog title="Pause the streak" onClose={() => onClose(false)}>
      <SchemaForm
        schema={PAUSE}
        initial={{}}
        submitLabel="Pause"
        done="The pause is set."
        onSubmit={async ({ reason, ...days }) => {
          await forUser('/streaks/pauses', { pauses: [{ userId: id, ...days }], reason });
          onClose(true);
        }}
      />
    </Dialog>
  );
}

const PROFILE = ['name', 'email', 'tz', 'signUpDate', 'subscribeToEmails'];

function EditUser({ user, onClose }: { user: AdminUser; onClose(isDone: boolean): void }) {
  const { name, email, tz, signUpDate, subscribeToEmails } = user;
  const initial = {
    name: name ?? undefined,
    email: email ?? undefined,
    tz: tz ?? undefined,
    signUpDate: signUpDate ?? undefined,
    subscribeToEmails,
  };
  return (
    <Dialog title="Edit the user" onClose={() => onClose(false)}>
      <SchemaForm
        schema={schemaOf('user')}
        initial={initial}
        submitLabel="Save"
        done="Saved."
        isShown={(field) => PROFILE.includes(field)}
        onSubmit={async (value) => {
          await callApi('PATCH', `${APPLICATION}${userPath(user.id)}`, { body: changesOf(initial, value) });
          onClose(true);
        }}
      />
    </Dialog>
  );
}
