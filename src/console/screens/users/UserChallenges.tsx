import { useState } from 'preact/hooks';
import type { AdminUser } from '../../../contract/adminUsers.ts';
import type { GoalProgress, UserChallengeResponse } from '../../../contract/challenge.ts';
import { formatInstant, formatNumber, NONE } from '../../text/format.ts';
import { ListTable } from '../../ui/Listing.tsx';
import { Card } from '../../ui/Page.tsx';
import { GoalEvents } from './GoalEvents.tsx';
import { useUserApi } from './userAddress.tsx';

/** The present runs of the challenges of a user; nothing if there are none. */
export function UserChallenges({ user }: { user: AdminUser }) {
  const { id, tz } = user;
  const [asked, ask] = useState<{ challenge: UserChallengeResponse; goal: GoalProgress } | null>(null);
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
          {
            title: 'Goals',
            cell: (challenge) => <Goals of={challenge} onAsk={(goal) => ask({ challenge, goal })} />,
          },
          { title: 'Completed', cell: (one) => stateText(one, tz) },
          { title: 'Completed runs', cell: ({ completions }) => formatNumber(completions) },
          { title: 'Ends', cell: ({ end }) => formatInstant(end, tz) },
        ]}
      />
      {asked && <GoalEvents user={user} {...asked} onClose={() => ask(null)} />}
    </Card>
  );
}

interface GoalsProps {
  of: UserChallengeResponse;
  onAsk(goal: GoalProgress): void;
}

/** The goals with their progress; each says which events count. */
const Goals = ({ of: { goals }, onAsk }: GoalsProps) => (
  <>
    {goals.map((goal) => (
      <div key={goal.key}>
        {goal.name}: {formatNumber(goal.progress)} of {formatNumber(goal.target)}
        {goal.completed && ' ✓'}{' '}
        <button type="button" class="quiet" aria-label={`Why: ${goal.name}`} onClick={() => onAsk(goal)}>
          Why
        </button>
      </div>
    ))}
  </>
);

/** When the user has completed it, and what is left to do. */
function stateText({ completedAt, claimable, joined }: UserChallengeResponse, tz: string | null): string {
  if (completedAt !== null) return `${formatInstant(completedAt, tz)}${claimable ? ', not claimed yet' : ''}`;
  return joined ? NONE : 'Not joined';
}
