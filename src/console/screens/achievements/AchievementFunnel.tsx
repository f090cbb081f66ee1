import type { GetAchievementFunnel } from '../../../contract/achievementFunnel.ts';
import type { ResponseOf } from '../../../contract/operation.ts';
import { useApi } from '../../api/useApi.ts';
import { formatNumber, formatShare, NONE } from '../../text/format.ts';
import { plural, t } from '../../text/translate.ts';
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
            title={t('Funnel')}
            note={plural(
              totalUsers,
              '{neverCompleted} of {n} user never completed it.',
              '{neverCompleted} of {n} users never completed it.',
              { neverCompleted },
            )}
          >
            <Steps steps={steps} totalUsers={totalUsers} />
          </Card>
          {near && (
            <Card title={t('Close to the target')} note={nearText(near, totalUsers)}>
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
      label={t('Steps')}
      rows={steps}
      keyOf={({ id }) => id}
      columns={[
        { title: t('Achievement'), cell: (step) => <AchievementName of={step} /> },
        { title: t('Target'), isNumber: true, cell: ({ target }) => formatNumber(target) },
        { title: t('Completed'), isNumber: true, cell: ({ completions }) => formatNumber(completions) },
        {
          title: t('Of all users'),
          isNumber: true,
          cell: ({ completions }) => formatShare(totalUsers === 0 ? null : completions / totalUsers),
        },
        {
          title: t('Dropped off'),
          isNumber: true,
          cell: ({ lost }) => (lost === null ? NONE : formatNumber(lost)),
        },
      ]}
    />
  );
}

function nearText({ users, sampled }: Near, totalUsers: number): string {
  if (sampled === totalUsers)
    return plural(users, '{n} user reached 90% of the target.', '{n} users reached 90% of the target.');
  return plural(
    users,
    'About {n} user reached 90% of the target. Estimated from a sample of {sampled} users; the list shows users of the sample.',
    'About {n} users reached 90% of the target. Estimated from a sample of {sampled} users; the list shows users of the sample.',
    { sampled },
  );
}

function NearUsers({ near: { examples } }: { near: Near }) {
  if (examples.length === 0) return <Empty title={t('No user is close to the target')} />;
  return (
    <Table
      label={t('Users close to the target')}
      rows={examples}
      keyOf={({ id }) => id}
      columns={[
        { title: t('User'), cell: ({ id, name }) => <UserLink id={id} name={name} /> },
        { title: t('Current'), isNumber: true, cell: ({ current }) => formatNumber(current) },
      ]}
    />
  );
}
