import { useState } from 'preact/hooks';
import type { ListedUser } from '../../../contract/listedUsers.ts';
import type { Query } from '../../api/client.ts';
import type { PointsSystem } from '../../api/types.ts';
import { useApi } from '../../api/useApi.ts';
import { plural, t } from '../../text/translate.ts';
import { ActionMenu } from '../../ui/ActionMenu.tsx';
import { isAllowed } from '../../ui/Allowed.tsx';
import { type BulkChange, BulkDialog } from '../../ui/bulk/BulkDialog.tsx';
import type { Selection } from '../../ui/bulk/useSelection.ts';
import { ErrorMessage } from '../../ui/Loading.tsx';
import { bulkMessage, SEND_MESSAGE } from './bulkMessage.tsx';
import { bulkChange, userChanges } from './bulkUserChanges.tsx';
import { StopButton, saveUsers } from './UserViews.tsx';
import { useAllUsers } from './useAllUsers.ts';
import type { UserColumn } from './userColumns.tsx';

/** Users that one change is for at most. */
const BULK_USERS_MAX = 10_000;

interface BulkUsersProps {
  selection: Selection<ListedUser>;
  /** Filters of the list. */
  request: Query;
  columns: readonly UserColumn[];
  systems: readonly PointsSystem[];
  /** The change whose dialog is open. */
  open: BulkChange | null;
  setOpen(change: BulkChange | null): void;
}

/** What can be done with the selected users, or with all that match. */
export function BulkUsers({ selection, request, columns, systems, open, setOpen }: BulkUsersProps) {
  const [matching, setMatching] = useState<ListedUser[] | null>(null);
  const { read, count: readUsers, stop, error } = useAllUsers(request);
  const settings = useApi('/streaks/settings').data;
  const users = matching?.filter(selection.has) ?? selection.rows;
  const selectMatching = async (): Promise<void> => {
    const all = await read(BULK_USERS_MAX);
    if (all === null) return;
    setMatching(all);
    selection.choose(all);
  };
  const clear = (): void => {
    setMatching(null);
    selection.choose([]);
  };
  if (readUsers !== null) return <StopButton read={readUsers} onClick={stop} />;
  const changes = userChanges({ systems, maxFreezes: settings?.freezes?.maxCount ?? 0 });
  const actions = [
    ...changes.map((change) => ({
      label: change.label,
      onSelect: () => setOpen(bulkChange(change, users)),
    })),
    { label: SEND_MESSAGE, onSelect: () => setOpen(bulkMessage(users)) },
  ];
  return (
    <div class="row">
      {users.length === 0 ? (
        <button type="button" onClick={() => void selectMatching()}>
          {t('Select all that match')}
        </button>
      ) : (
        <>
          <span role="status">
            {users.length === BULK_USERS_MAX
              ? plural(
                  users.length,
                  '{n} user selected, the most at once',
                  '{n} users selected, the most at once',
                )
              : plural(users.length, '{n} user selected', '{n} users selected')}
          </span>
          {isAllowed('operate') && (
            <ActionMenu label={t('Change')} groups={[{ title: t('Selected users'), actions }]} />
          )}
          <button type="button" onClick={() => saveUsers(users, columns)}>
            {t('Export selected')}
          </button>
          <button type="button" onClick={clear}>
            {t('Clear selection')}
          </button>
        </>
      )}
      <ErrorMessage text={error} />
      {open && (
        <BulkDialog
          of={open}
          onClose={(isBegun) => {
            setOpen(null);
            if (isBegun) clear();
          }}
        />
      )}
    </div>
  );
}
