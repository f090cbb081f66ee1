import type Type from 'typebox';
import type { ADMIN_RESOURCES } from '../../../contract/configured/adminEntities.ts';
import { LIVE_MS, useList } from '../../api/useApi.ts';
import { formatDate, formatNumber } from '../../text/format.ts';
import { t } from '../../text/translate.ts';
import { AdminLink } from '../../ui/Allowed.tsx';
import { ListTable } from '../../ui/Listing.tsx';
import { Card, Empty, Page } from '../../ui/Page.tsx';
import { StatusTag } from '../../ui/Tiles.tsx';
import { ChallengeRuns } from './ChallengeRuns.tsx';
import { runsText } from './runsText.ts';

type Challenge = Type.Static<typeof ADMIN_RESOURCES.challenges.view>;

export function Challenges() {
  return (
    <Page title={t('Challenges')}>
      <Card>
        <ListTable<Challenge>
          of={useList('/challenges', {}, { everyMs: LIVE_MS })}
          none={t('No challenges yet')}
          hint={<AdminLink href="/console/configuration/challenges/new">{t('Create a challenge')}</AdminLink>}
          label={t('Challenges')}
          keyOf={({ id }) => id}
          columns={[
            {
              title: t('Challenge'),
              cell: ({ key, name }) => <a href={`/console/challenges/${encodeURIComponent(key)}`}>{name}</a>,
            },
            { title: t('Status'), cell: ({ status }) => <StatusTag status={status} /> },
            { title: t('Runs'), cell: runsText },
            { title: t('Goals'), isNumber: true, cell: ({ goals }) => formatNumber(goals.length) },
            { title: t('Start'), cell: ({ start }) => formatDate(start) },
            { title: t('End'), cell: ({ end }) => formatDate(end) },
          ]}
        />
      </Card>
    </Page>
  );
}

/** One challenge: its runs, and how far users have come in each. */
export function ChallengeScreen({ id: key }: { id: string }) {
  const challenges = useList('/challenges');
  const challenge = challenges.data?.find((one) => one.key === key);
  return (
    <Page
      title={challenge?.name ?? key}
      lead={<a href="/console/challenges">{t('All challenges')}</a>}
      actions={
        challenge && (
          <AdminLink href={`/console/configuration/challenges/${challenge.id}`}>{t('Configure')}</AdminLink>
        )
      }
    >
      {challenge && <ChallengeRuns key={challenge.id} challenge={challenge} />}
      {challenges.data && !challenge && <Empty title={t('No challenge with this key')} />}
    </Page>
  );
}
