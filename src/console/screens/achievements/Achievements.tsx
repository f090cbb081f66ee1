import type { ResponseOf } from '../../../contract/operation.ts';
import type { GetAchievementAnalytics } from '../../../contract/progressAnalytics.ts';
import { LIVE_MS, useApi } from '../../api/useApi.ts';
import { useRange } from '../../api/useRange.ts';
import { formatNumber, formatShare } from '../../text/format.ts';
import { rich } from '../../text/richText.ts';
import { plural, t } from '../../text/translate.ts';
import { AdminLink } from '../../ui/Allowed.tsx';
import { Bars } from '../../ui/Bars.tsx';
import { Listing } from '../../ui/Listing.tsx';
import { Loading } from '../../ui/Loading.tsx';
import { Card, Empty, Page } from '../../ui/Page.tsx';
import { RangePicker } from '../../ui/RangePicker.tsx';
import { Table } from '../../ui/Table.tsx';
import { Tag, Tiles } from '../../ui/Tiles.tsx';
import { AchievementFunnel } from './AchievementFunnel.tsx';
import { AchievementName } from './AchievementName.tsx';

type One = ResponseOf<typeof GetAchievementAnalytics>;

export function Achievements() {
  const { query } = useRange();
  const analytics = useApi('/analytics/achievements', query, { everyMs: LIVE_MS });
  return (
    <Page title={t('Achievements')} actions={<RangePicker />}>
      <Listing
        of={analytics}
        rows={({ achievements }) => achievements}
        none={t('No achievements yet')}
        hint={
          <AdminLink href="/console/configuration/achievements/new">{t('Create an achievement')}</AdminLink>
        }
      >
        {({ achievements, totalUsers }) => (
          <Card
            note={plural(
              totalUsers,
              'Completions and their share of {n} user.',
              'Completions and their share of {n} users.',
            )}
          >
            <Table
              label={t('Achievements')}
              rows={achievements}
              keyOf={({ id }) => id}
              columns={[
                {
                  title: t('Achievement'),
                  cell: (achievement) => (
                    <>
                      <AchievementName of={achievement} />
                      {achievement.totalCompletions === 0 && [
                        ' ',
                        <Tag key="never" text={t('never completed')} />,
                      ]}
                    </>
                  ),
                },
                {
                  title: t('Completed in this range'),
                  isNumber: true,
                  cell: ({ completions }) => formatNumber(completions),
                },
                {
                  title: t('Completed in total'),
                  isNumber: true,
                  cell: ({ totalCompletions }) => formatNumber(totalCompletions),
                },
                { title: t('Of all users'), isNumber: true, cell: ({ rate }) => formatShare(rate) },
                {
                  title: t('Mean days to complete'),
                  isNumber: true,
                  cell: (one) => formatNumber(one.meanDaysToComplete),
                },
              ]}
            />
          </Card>
        )}
      </Listing>
    </Page>
  );
}

/** One achievement: time to complete, activity before and after it, and its funnel. */
export function AchievementScreen({ id: key }: { id: string }) {
  const { query } = useRange();
  const analytics = useApi(`/analytics/achievements/${encodeURIComponent(key)}`, query, {
    everyMs: LIVE_MS,
  });
  const all = useApi('/analytics/achievements', query).data;
  const name = all?.achievements.find((one) => one.key === key)?.name ?? key;
  return (
    <Page
      title={name}
      lead={<a href="/console/achievements">{t('All achievements')}</a>}
      actions={<RangePicker />}
    >
      <Loading of={analytics}>
        {(data) => (
          <>
            <AchievementAnalytics analytics={data} />
            <AchievementFunnel of={key} />
          </>
        )}
      </Loading>
    </Page>
  );
}

function AchievementAnalytics({ analytics }: { analytics: One }) {
  const { completions, meanDaysToComplete, timeToComplete, activity } = analytics;
  const longest = timeToComplete.findLastIndex(({ users }) => users > 0);
  const bars = timeToComplete.slice(0, longest + 1).map(({ fromDays, toDays, users }) => ({
    label:
      toDays === null
        ? t('{fromDays} days or more', { fromDays })
        : t('{fromDays} to {toDays} days', { fromDays, toDays }),
    value: users,
  }));
  return (
    <>
      <Tiles
        tiles={[
          { label: t('Completed'), value: formatNumber(completions), note: t('in this range') },
          { label: t('Mean days to complete'), value: formatNumber(meanDaysToComplete) },
          { label: t('Active days before'), value: formatNumber(activity.daysBefore), note: t('of 14') },
          { label: t('Active days after'), value: formatNumber(activity.daysAfter), note: t('of 14') },
        ]}
      />
      <Card title={t('Time to complete')} note={t('Since the creation of the user.')}>
        {completions === 0 ? (
          <Empty title={t('No completions in this range')}>
            <span>{t('Choose a longer range, or make it easier to complete.')}</span>
          </Empty>
        ) : (
          <Bars bars={bars} />
        )}
      </Card>
      <p class="soft small">
        {activity.users === 0
          ? t('Activity is available 14 days after the first completion.')
          : plural(
              activity.users,
              'Activity of {n} user, from 14 days before to 14 days after.',
              'Activity of {n} users, from 14 days before to 14 days after.',
            )}{' '}
        {rich(t('This is a correlation. To measure the effect, run an {experiment}.'), {
          experiment: <a href="/console/experiment">{t('experiment')}</a>,
        })}
      </p>
    </>
  );
}
