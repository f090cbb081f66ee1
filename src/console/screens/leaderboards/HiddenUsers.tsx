import { useList } from '../../api/useApi.ts';
import { rich } from '../../text/richText.ts';
import { t } from '../../text/translate.ts';
import { Allowed } from '../../ui/Allowed.tsx';
import { Instant } from '../../ui/Instant.tsx';
import { Card } from '../../ui/Page.tsx';
import { ReasonButton, type Reasoned } from '../../ui/ReasonForm.tsx';
import { Table } from '../../ui/Table.tsx';
import { postToUser, UserLink } from '../users/userAddress.tsx';

const TEXTS = {
  hide: {
    label: t('Hide'),
    effect: t('{user} loses the rank in each run that is not final. The score is still counted.'),
    done: t('User hidden.'),
  },
  show: {
    label: t('Show again'),
    effect: t('{user} gets the rank of their score in the current run.'),
    done: t('User shown again.'),
  },
};

/** Hides a user from a leaderboard, or shows the user again. */
export function visibility(
  verb: 'hide' | 'show',
  board: string,
  { id, name }: { id: string; name?: string | null },
): Reasoned {
  const { label, effect, done } = TEXTS[verb];
  return {
    label,
    effect: <p>{rich(effect, { user: <strong>{name ?? id}</strong> })}</p>,
    done,
    work: (reason) => postToUser(id, `/leaderboards/${encodeURIComponent(board)}/${verb}`, { reason }),
  };
}

interface VisibilityProps {
  verb: 'hide' | 'show';
  board: string;
  userId: string;
  onDone(): void;
}

export const VisibilityButton = ({ verb, board, userId, onDone }: VisibilityProps) => (
  <Allowed to="operate">
    <ReasonButton
      class="quiet"
      aria-label={`${TEXTS[verb].label}: ${userId}`}
      of={visibility(verb, board, { id: userId })}
      onDone={onDone}
    />
  </Allowed>
);

/** Users that are hidden from a leaderboard; nothing if there are none. */
export function HiddenUsers({ board, hidden }: { board: string; hidden: ReturnType<typeof useHiddenUsers> }) {
  const rows = hidden.data ?? [];
  if (rows.length === 0) return null;
  return (
    <Card title={t('Hidden users')} note={t('Hidden users keep their scores but have no rank.')}>
      <Table
        label={t('Hidden users')}
        rows={rows}
        keyOf={({ userId }) => userId}
        columns={[
          { title: t('User'), cell: ({ userId }) => <UserLink id={userId} /> },
          { title: t('Reason'), cell: ({ reason }) => reason },
          { title: t('Since'), cell: ({ hiddenAt }) => <Instant at={hiddenAt} /> },
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
  useList(id === undefined ? null : `/leaderboards/${id}/hidden-users`);
