import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { USER_ID_CHARS_MAX } from '../../../base/limits.ts';
import type { AdminUser } from '../../../contract/adminUsers.ts';
import { callApi, fetchApi, saveFile } from '../../api/client.ts';
import { rich } from '../../text/richText.ts';
import { t } from '../../text/translate.ts';
import { ActionMenu, type MenuGroup } from '../../ui/ActionMenu.tsx';
import { isAllowed } from '../../ui/Allowed.tsx';
import { ConfirmDialog } from '../../ui/Confirm.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { SchemaForm } from '../../ui/form/SchemaForm.tsx';
import { changesOf, type Schema, schemaOf } from '../../ui/form/schema.ts';
import { REASON, ReasonDialog, type Reasoned } from '../../ui/ReasonForm.tsx';
import { useAction } from '../../ui/useAction.ts';
import { streakActions } from './StreakActions.tsx';
import { useCorrections } from './UserCorrections.tsx';
import { postToUser, userAddress, userPath } from './userAddress.tsx';

/** An action of the menu, with the dialog that it opens. */
interface UserAction {
  label: string;
  isDangerous?: boolean;
  dialog(close: (isDone: boolean) => void): ComponentChildren;
}

const reasoned = (of: Reasoned): UserAction => ({
  ...of,
  dialog: (close) => <ReasonDialog of={of} onClose={close} />,
});

/** What the role may do to a user: the most frequent actions as buttons, the others in a menu. */
export function UserActions({ user, onChanged }: { user: AdminUser; onChanged(): void }) {
  const { run } = useAction();
  const save = async (): Promise<void> => {
    const text = await (await fetchApi('GET', `${userPath(user.id)}/export`)).text();
    saveFile(`user-${user.id}.json`, text, 'application/json');
  };
  const saving = {
    title: t('Data'),
    actions: [{ label: t('Export'), onSelect: () => void run(save, t('File saved.')) }],
  };
  if (isAllowed('operate')) return <Changes user={user} onChanged={onChanged} saving={saving} />;
  return <ActionMenu label={t('More actions')} groups={[saving]} />;
}

function Changes({ user, onChanged, saving }: { user: AdminUser; onChanged(): void; saving: MenuGroup }) {
  const { route } = useLocation();
  const [open, setOpen] = useState<UserAction | null>(null);
  const { adjust, grant, revoke, hide } = useCorrections(user);
  const group = (title: string, actions: UserAction[]): MenuGroup => ({
    title,
    actions: actions.map((action) => ({ ...action, onSelect: () => setOpen(action) })),
  });
  const close = (isDone: boolean): void => {
    setOpen(null);
    if (isDone) onChanged();
  };
  const edit: UserAction = {
    label: t('Edit'),
    dialog: () => <EditUser user={user} onClose={close} />,
  };
  const rename: UserAction = {
    label: t('Change ID'),
    dialog: () => (
      <RenameUser
        user={user}
        onClose={() => close(false)}
        onRenamed={(id) => (id === null ? close(true) : route(userAddress(id)))}
      />
    ),
  };
  const erase: UserAction = {
    label: t('Erase'),
    isDangerous: true,
    dialog: () => (
      <EraseUser user={user} onClose={(isDone) => (isDone ? route('/console/users') : close(false))} />
    ),
  };
  return (
    <>
      {[...adjust.map(reasoned), edit].map((action) => (
        <button type="button" key={action.label} onClick={() => setOpen(action)}>
          {action.label}
        </button>
      ))}
      <ActionMenu
        label={t('More actions')}
        groups={[
          group(t('Streak'), streakActions(user).map(reasoned)),
          group(t('Achievements and leaderboards'), [...grant, ...revoke, ...hide].map(reasoned)),
          saving,
          group('ID', [rename]),
          group(t('Block or erase'), [
            reasoned(user.block === null ? block(user) : unblock(user)),
            ...(isAllowed('admin') ? [erase] : []),
          ]),
        ]}
      />
      {open?.dialog(close)}
    </>
  );
}

const block = ({ id }: AdminUser): Reasoned => ({
  label: t('Block'),
  isDangerous: true,
  effect: (
    <p>{t('Events of the user are refused. The user has no rank on leaderboards and gets no messages.')}</p>
  ),
  done: t('User blocked.'),
  fields: {
    until: {
      type: 'string',
      format: 'date-time',
      description: t('End of the block. Leave empty for no end.'),
    },
  },
  work: (reason, fields) => postToUser(id, '/block', { reason, ...fields }),
});

const unblock = ({ id }: AdminUser): Reasoned => ({
  label: t('Unblock'),
  effect: <p>{t('Events of the user count again, and the user returns to the rankings of current runs.')}</p>,
  done: t('User unblocked.'),
  work: (reason) => callApi('DELETE', `${userPath(id)}/block`, { query: { reason } }),
});

interface DialogProps {
  user: AdminUser;
  onClose(isDone: boolean): void;
}

const RENAME: Schema = {
  type: 'object',
  required: ['id'],
  properties: {
    id: { type: 'string', maxLength: USER_ID_CHARS_MAX, description: t('The new ID. It must be unused.') },
    reason: REASON,
  },
};

/** @param onRenamed gets the new id, or null if a worker will rename the user */
function RenameUser({ user, onClose, onRenamed }: DialogProps & { onRenamed(newId: string | null): void }) {
  return (
    <Dialog title={t('Change ID')} onClose={() => onClose(false)}>
      <p>
        {rich(
          t(
            'Progress, history, ranks, held events and application keys move to the new ID. After that, an event for {id} creates a new user, so stop sending this ID first.',
          ),
          { id: <strong>{user.id}</strong> },
        )}
      </p>
      <SchemaForm
        schema={RENAME}
        initial={{}}
        submitLabel={t('Change ID')}
        done={t('ID changed. If the history is behind, this takes effect when it has caught up.')}
        onSubmit={async (body) => {
          const path = `${userPath(user.id)}/rename`;
          const { id, status } = await callApi<{ id: string; status: string }>('POST', path, { body });
          onRenamed(status === 'renamed' ? id : null);
        }}
      />
    </Dialog>
  );
}

const EraseUser = ({ user: { id, name }, onClose }: DialogProps) => (
  <ConfirmDialog
    label={t('Erase')}
    isDangerous
    done={t('User erased.')}
    work={() => callApi('DELETE', userPath(id))}
    onClose={onClose}
  >
    {rich(
      t(
        'All data of {name} is deleted: profile, progress, leaderboard ranks and history. This cannot be undone.',
      ),
      { name: <strong>{name ?? id}</strong> },
    )}
  </ConfirmDialog>
);

const PROFILE = ['name', 'email', 'tz', 'signUpDate', 'subscribeToEmails'] as const;

function EditUser({ user, onClose }: DialogProps) {
  const initial = Object.fromEntries(PROFILE.map((field) => [field, user[field] ?? undefined]));
  return (
    <Dialog title={t('Edit user')} onClose={() => onClose(false)}>
      <SchemaForm
        schema={schemaOf('user')}
        initial={initial}
        submitLabel={t('Save')}
        done={t('Saved.')}
        sections={[{ title: null, fields: PROFILE }]}
        isShown={(field) => field in initial}
        onSubmit={async (value) => {
          await callApi('PATCH', `/v1${userPath(user.id)}`, { body: changesOf(initial, value) });
          onClose(true);
        }}
      />
    </Dialog>
  );
}
