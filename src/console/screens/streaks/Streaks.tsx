import { useState } from 'preact/hooks';
import { USERS_IN_QUERY_MAX } from '../../../base/limits.ts';
import type { ResponseOf } from '../../../contract/operation.ts';
import type { GetStreakAnalytics } from '../../../contract/progressAnalytics.ts';
import { LIVE_MS, useApi } from '../../api/useApi.ts';
import { useRange } from '../../api/useRange.ts';
import { formatNumber, formatShare, sumOf } from '../../text/format.ts';
import { t } from '../../text/translate.ts';
import { AdminLink } from '../../ui/Allowed.tsx';
import { Bars } from '../../ui/Bars.tsx';
import { LineChart } from '../../ui/LineChart.tsx';
import { ListTable } from '../../ui/Listing.tsx';
import { Loading } from '../../ui/Loading.tsx';
import { Card, Empty, Page } from '../../ui/Page.tsx';
import { RangePicker } from '../../ui/RangePicker.tsx';
import { Tiles } from '../../ui/Tiles.tsx';
import { PeriodChart } from '../overview/PeriodChart.tsx';
import { UserLink } from '../users/userAddress.tsx';

type Analytics = ResponseOf<typeof GetStreakAnalytics>;
type Period = Analytics['periods'][number];

export function Streaks() {
  const { query } = useRange();
  const settings = useApi('/streaks/settings');
  const analytics = useApi('/analytics/streaks', query, { everyMs: LIVE_MS });
  return (
    <Page title={t('Streaks')} actions={<RangePicker />}>
      <Loading of={settings}>
        {({ enabled }) => (
          <Loading of={analytics}>
            {(data) => (enabled || hasStreaks(data) ? <StreakAnalytics analytics={data} /> : <NoStreak />)}
          </Loading>
        )}
      </Loading>
    </Page>
  );
}

/** Past streaks are still shown after streaks have been turned off. */
const hasStreaks = ({ periods, lengths }: Analytics): boolean =>
  lengths.length > 0 || periods.some(({ started, extended, lost }) => started + extended + lost > 0);

function NoStreak() {
  return (
    <Empty title={t('No streak configured')}>
      <AdminLink href="/console/configuration/streak">{t('Configure the streak')}</AdminLink>
    </Empty>
  );
}

function StreakAnalytics({ analytics: { periods, lengths, survival } }: { analytics: Analytics }) {
  const sum = (of: (period: Period) => number): string => formatNumber(sumOf(periods, of));
  return (
    <>
      <Tiles
        tiles={[
          {
            label: t('Users with a streak'),
            value: formatNumber(sumOf(lengths, ({ users }) => users)),
            note: t('now'),
          },
          { label: t('Started'), value: sum(({ started }) => started) },
          { label: t('Extended'), value: sum(({ extended }) => extended) },
          { label: t('Lost'), value: sum(({ lost }) => lost) },
          { label: t('Freezes used'), value: sum(({ freezesUsed }) => freezesUsed) },
          { label: t('Freezes earned'), value: sum(({ freezesEarned }) => freezesEarned) },
        ]}
      />
      <Card title={t('Started, lost and saved')}>
        <PeriodChart
          label={t('Streaks started, lost and saved by a freeze')}
          unit={t('streaks')}
          periods={periods}
          lines={[
            [t('Started'), ({ started }) => started],
            [t('Lost'), ({ lost }) => lost],
            [t('Saved by a freeze'), ({ freezesUsed }) => freezesUsed],
          ]}
        />
      </Card>
      <div class="columns">
        <Card title={t('Lengths')} note={t('Current streaks by length.')}>
          {lengths.length === 0 ? (
            <Empty title={t('No current streaks')} />
          ) : (
            <Bars bars={lengths.map(({ length, users: value }) => ({ label: String(length), value }))} />
          )}
        </Card>
        <Card title={t('Longest current streaks')}>
          <Rankings />
        </Card>
      </div>
      {survival.length > 1 && (
        <Card
          title={t('Survival')}
          note={t('Estimated share of streaks that become longer than a length (Kaplan–Meier estimator).')}
        >
          <LineChart
            label={t('Share of streaks that become longer than a length')}
            x={survival.map(({ length }) => length)}
            xTitle={t('Length')}
            series={[{ label: t('Share'), values: survival.map(({ rate }) => rate), format: formatShare }]}
          />
        </Card>
      )}
    </>
  );
}

function Rankings() {
  const [limit, setLimit] = useState(10);
  const rankings = useApi('/v1/streaks/rankings', { limit }, { everyMs: LIVE_MS });
  const isLimit = limit === USERS_IN_QUERY_MAX;
  const showMore =
    rankings.data?.length === limit && !isLimit ? () => setLimit(USERS_IN_QUERY_MAX) : undefined;
  return (
    <>
      <ListTable
        of={{ ...rankings, showMore }}
        none={t('No current streaks')}
        label={t('Longest current streaks')}
        keyOf={({ userId }) => userId}
        columns={[
          { title: t('User'), cell: ({ userId, name }) => <UserLink id={userId} name={name} /> },
          { title: t('Length'), isNumber: true, cell: ({ streakLength }) => formatNumber(streakLength) },
        ]}
      />
      {isLimit && <a href="/console/users?sort=streak">{t('View all users by streak')}</a>}
    </>
  );
}
