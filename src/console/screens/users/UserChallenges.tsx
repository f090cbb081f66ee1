import type { AdminUser } from '../../../contract/adminUsers.ts';
import type { GoalProgress, UserChallengeResponse } from '../../../contract/challenge.ts';
import { formatInstant, formatNumber, NONE } from '../../text/format.ts';
import { shareText, t } from '../../text/translate.ts';
import { ListTable } from '../../ui/Listing.tsx';
import { Card } from '../../ui/Page.tsx';
import { useUserApi } from './userAddress.tsx';

/** The present runs of the challenges of a user; nothing if there are none. */
export function UserChallenges({ user: { id, tz } }: { user: AdminUser }) {
  const challenges = useUserApi(id, '/challenges');
  if (challenges.data?.length === 0) return null;
  return (
    <Card title={t('Challenges')}>
      <ListTable<UserChallengeResponse>
        of={challenges}
        none={t('No challenges')}
        label={t('Challenges')}
        keyOf={(one) => one.id}
        columns={[
          {
            title: t('Challenge'),
            cell: ({ key, name }) => <a href={`/console/challenges/${encodeURIComponent(key)}`}>{name}</a>,
          },
          { title: t('Goals'), cell: ({ goals }) => <Goals goals={goals} /> },
          { title: t('Completed'), cell: (one) => stateText(one, tz) },
          { title: t('Completed runs'), cell: ({ completions }) => formatNumber(completions) },
          { title: t('Ends'), cell: ({ end }) => formatInstant(end, tz) },
        ]}
      />
    </Card>
  );
}

const Goals = ({ goals }: { goals: readonly GoalProgress[] }) => (
  <>
    {goals.map(({ key, name, progress, target, completed }) => (
      <div key={key}>
        {name}: {shareText(progress, target)}
        {completed && ' ✓'}
      </div>
    ))}
  </>
);

/** When the user has completed it, and what is left to do. */
function stateText({ completedAt, claimable, joined }: UserChallengeResponse, tz: string | null): string {
  if (completedAt !== null)
    return claimable
      ? t('{at}, not claimed yet', { at: formatInstant(completedAt, tz) })
      : formatInstant(completedAt, tz);
  return joined ? NONE : t('Not joined');
}
