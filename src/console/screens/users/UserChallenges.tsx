import type { AdminUser } from '../../../contract/adminUsers.ts';
import type { GoalProgress, UserChallengeResponse } from '../../../contract/challenge.ts';
import { formatInstant, formatNumber, NONE } from '../../text/format.ts';
import { ListTable } from '../../ui/Listing.tsx';
import { Card } from '../../ui/Page.tsx';
import { useUserApi } from './userAddress.tsx';

/** The present runs of the challenges of a user; nothing if there are none. */
export function UserChallenges({ user: { id, tz } }: { user: AdminUser }) {
  const challenges = useUserApi(id, '/challenges');
  if (challenges.data?.length === 0) return null;
  return (
    <Card title="Challenges">
      <ListTable<UserChallengeResponse>
        of={challenges}
        none="No challenges"
        label="Challenges"
        keyOf={(one) => one.id}
        columns={[
          {
            title: 'Challenge',
            cell: ({ key, name }) => <a href={`/console/challenges/${encodeURIComponent(key)}`}>{name}</a>,
          },
          { title: 'Goals', cell: ({ goals }) => <Goals goals={goals} /> },
          { title: 'Completed', cell: (one) => stateText(one, tz) },
          { title: 'Completed runs', cell: ({ completions }) => formatNumber(completions) },
          { title: 'Ends', cell: ({ end }) => formatInstant(end, tz) },
        ]}
      />
    </Card>
  );
}

const Goals = ({ goals }: { goals: readonly GoalProgress[] }) => (
  <>
    {goals.map(({ key, name, progress, target, completed }) => (
      <div key={key}>
        {name}: {formatNumber(progress)} of {formatNumber(target)}
        {completed && ' ✓'}
      </div>
    ))}
  </>
);

/** When the user has completed it, and what is left to do. */
function stateText({ completedAt, claimable, joined }: UserChallengeResponse, tz: string | null): string {
  if (completedAt !== null) return `${formatInstant(completedAt, tz)}${claimable ? ', not claimed yet' : ''}`;
  return joined ? NONE : 'Not joined';
}
