import { useState } from 'preact/hooks';
import type { AdminUser } from '../../../contract/adminUsers.ts';
import type { GoalProgress, UserChallengeResponse } from '../../../contract/challenge.ts';
import { formatInstant, formatNumber, NONE } from '../../text/format.ts';
import { shareText, t } from '../../text/translate.ts';
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
          {
            title: t('Goals'),
            cell: (challenge) => <Goals of={challenge} onAsk={(goal) => ask({ challenge, goal })} />,
          },
          { title: t('Completed'), cell: (one) => stateText(one, tz) },
          { title: t('Completed runs'), cell: ({ completions }) => formatNumber(completions) },
          { title: t('Ends'), cell: ({ end }) => formatInstant(end, tz) },
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
        {goal.name}: {shareText(goal.progress, goal.target)}
        {goal.completed && ' ✓'}{' '}
        <button
          type="button"
          class="quiet"
          aria-label={t('Why: {name}', { name: goal.name })}
          onClick={() => onAsk(goal)}
        >
          {t('Why')}
        </button>
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
