import { useState } from 'preact/hooks';
import type { HiddenUser } from '../../../contract/hiddenUsers.ts';
import { ADMIN, callApi } from '../../api/client.ts';
import { useList } from '../../api/useApi.ts';
import { Allowed } from '../../ui/Allowed.tsx';
import { Instant } from '../../ui/Instant.tsx';
import { Card } from '../../ui/Page.tsx';
import { ReasonDialog } from '../../ui/ReasonForm.tsx';
import { Table } from '../../ui/Table.tsx';
import { userAddress, userPath } from '../users/userAddress.ts';

const TEXTS = {
  hide: {
    title: 'Hide',
    text: 'loses the rank in each run that is not final. The score is still counted.',
    done: 'The user is hidden.',
  },
  show: {
    title: 'Show again',
    text: 'gets the rank that the score of the current run gives.',
    done: 'The user is shown again.',
  },
};

interface VisibilityProps {
  verb: 'hide' | 'show';
  board: string;
  userId: string;
  onDone(): void;
}

/** Hides a user from a leaderboard, or shows the user again, with a reason. */
export function VisibilityButton({ verb, board, userId, onDone }: VisibilityProps) {
  const [isOpen, setOpen] = useState(false);
  const { title, text, done } = TEXTS[verb];
  const path = `${userPath(userId)}/leaderboards/${encodeURIComponent(board)}/${verb}`;
  const work = (reason: string) => callApi('POST', ADMIN + path, { body: { reason } });
  const effect = (
    <p>
      <strong>{userId}</strong> {text}
    </p>
  );
  return (
    <Allowed to="operate">
      <button type="button" class="quiet" aria-label={`${title}: ${userId}`} onClick={() => setOpen(true)}>
        {title}
      </button>
      {isOpen && (
        <ReasonDialog
          of={{ label: title, effect, done, work }}
          onClose={(isDone) => {
            setOpen(false);
            if (isDone) onDone();
          }}
        />
      )}
    </Allowed>
  );
}

/** Users who are hidden from a leaderboard; nothing if there are none. */
export function HiddenUsers({ board, hidden }: { board: string; hidden: ReturnType<typeof useHiddenUsers> }) {
  const rows = hidden.data ?? [];
  if (rows.length === 0) return null;
  return (
    <Card title="Hidden users" note="They keep their scores, but have no rank.">
      <Table
        label="Hidden users"
        rows={rows}
        keyOf={({ userId }) => userId}
        columns={[
          { title: 'User', cell: ({ userId }) => <a href={userAddress(userId)}>{userId}</a> },
          { title: 'Reason', cell: ({ reason }) => reason },
          { title: 'Since', cell: ({ hiddenAt }) => <Instant at={hiddenAt} /> },
          {
            title: '',
            cell: ({ userId }) => (
              <VisibilityButton verb="show" board={board} userId={userId} onDone={hidden.reload} />
            ),
          },
        ]}
      />
    </Card>
  );
}

export const useHiddenUsers = (id: string | undefined) =>
  useList<HiddenUser>(id === undefined ? null : `/leaderboards/${id}/hidden-users`);
