import type { GetAchievementFunnel } from '../../../contract/achievementFunnel.ts';
import type { ResponseOf } from '../../../contract/operation.ts';
import { useApi } from '../../api/useApi.ts';
import { count, formatNumber, formatShare, NONE } from '../../text/format.ts';
import { Loading } from '../../ui/Loading.tsx';
import { Card, Empty } from '../../ui/Page.tsx';
import { Table } from '../../ui/Table.tsx';
import { UserLink } from '../users/userAddress.tsx';
import { AchievementName } from './AchievementName.tsx';

type Funnel = ResponseOf<typeof GetAchievementFunnel>;
type Near = NonNullable<Funnel['near']>;

/** Completions of an achievement and those before it, and users close to it. */
export function AchievementFunnel({ of: key }: { of: string }) {
  const funnel = useApi(`/analytics/achievements/${encodeURIComponent(key)}/funnel`);
  return (
    <Loading of={funnel}>
      {({ steps, totalUsers, neverCompleted, near }) => (
        <div class="columns">
          <Card
            title="Funnel"
            note={`${formatNumber(neverCompleted)} of ${count(totalUsers, 'user')} never completed it.`}
          >
            <Steps steps={steps} totalUsers={totalUsers} />
          </Card>
          {near && (
            <Card title="Close to the target" note={nearText(near, totalUsers)}>
              <NearUsers near={near} />
            </Card>
          )}
        </div>
      )}
    </Loading>
  );
}

function Steps({ steps, totalUsers }: Pick<Funnel, 'steps' | 'totalUsers'>) {
  return (
    <Table
      label="Steps"
      rows={steps}
      keyOf={({ id }) => id}
      columns={[
        { title: 'Achievement', cell: (step) => <AchievementName of={step} /> },
        { title: 'Target', isNumber: true, cell: ({ target }) => formatNumber(target) },
        { title: 'Completed', isNumber: true, cell: ({ completions }) => formatNumber(completions) },
        {
          title: 'Of all users',
          isNumber: true,
          cell: ({ completions }) => formatShare(totalUsers === 0 ? null : completions / totalUsers),
        },
        {
          title: 'Dropped off',
          isNumber: true,
          cell: ({ lost }) => (lost === null ? NONE : formatNumber(lost)),
        },
      ]}
    />
  );
}

function nearText({ users, sampled }: Near, totalUsers: number): string {
  const found = `${count(users, 'user')} reached 90% of the target.`;
  return sampled < totalUsers
    ? `About ${found} Estimated from a sample of ${formatNumber(sampled)} users; the list shows users of the sample.`
    : found;
}

function NearUsers({ near: { examples } }: { near: Near }) {
  if (examples.length === 0) return <Empty title="No user is close to the target" />;
  return (
    <Table
      label="Users close to the target"
      rows={examples}
      keyOf={({ id }) => id}
      columns={[
        { title: 'User', cell: ({ id, name }) => <UserLink id={id} name={name} /> },
        { title: 'Current', isNumber: true, cell: ({ current }) => formatNumber(current) },
      ]}
    />
  );
}
