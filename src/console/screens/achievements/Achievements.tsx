import type { ResponseOf } from '../../../contract/operation.ts';
import type { GetAchievementAnalytics } from '../../../contract/progressAnalytics.ts';
import { LIVE_MS, useApi } from '../../api/useApi.ts';
import { useRange } from '../../api/useRange.ts';
import { count, formatNumber, formatShare } from '../../text/format.ts';
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
    <Page title="Achievements" actions={<RangePicker />}>
      <Listing
        of={analytics}
        rows={({ achievements }) => achievements}
        none="No achievements yet"
        hint={<AdminLink href="/console/configuration/achievements/new">Create an achievement</AdminLink>}
      >
        {({ achievements, totalUsers }) => (
          <Card note={`Completions and their share of ${count(totalUsers, 'user')}.`}>
            <Table
              label="Achievements"
              rows={achievements}
              keyOf={({ id }) => id}
              columns={[
                {
                  title: 'Achievement',
                  cell: (achievement) => (
                    <>
                      <AchievementName of={achievement} />
                      {achievement.totalCompletions === 0 && [
                        ' ',
                        <Tag key="never" text="never completed" />,
                      ]}
                    </>
                  ),
                },
                {
                  title: 'Completed in this range',
                  isNumber: true,
                  cell: ({ completions }) => formatNumber(completions),
                },
                {
                  title: 'Completed in total',
                  isNumber: true,
                  cell: ({ totalCompletions }) => formatNumber(totalCompletions),
                },
                { title: 'Of all users', isNumber: true, cell: ({ rate }) => formatShare(rate) },
                {
                  title: 'Mean days to complete',
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
    <Page title={name} lead={<a href="/console/achievements">All achievements</a>} actions={<RangePicker />}>
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
    label: toDays === null ? `${fromDays} days or more` : `${fromDays} to ${toDays} days`,
    value: users,
  }));
  return (
    <>
      <Tiles
        tiles={[
          { label: 'Completed', value: formatNumber(completions), note: 'in this range' },
          { label: 'Mean days to complete', value: formatNumber(meanDaysToComplete) },
          { label: 'Active days before', value: formatNumber(activity.daysBefore), note: 'of 14' },
          { label: 'Active days after', value: formatNumber(activity.daysAfter), note: 'of 14' },
        ]}
      />
      <Card title="Time to complete" note="Since the creation of the user.">
        {completions === 0 ? (
          <Empty title="No completions in this range">
            <span>Choose a longer range, or make it easier to complete.</span>
          </Empty>
        ) : (
          <Bars bars={bars} />
        )}
      </Card>
      <p class="soft small">
        {activity.users === 0
          ? 'Activity is available 14 days after the first completion.'
          : `Activity of ${count(activity.users, 'user')}, from 14 days before to 14 days after.`}{' '}
        This is a correlation. To measure the effect, run an <a href="/console/experiment">experiment</a>.
      </p>
    </>
  );
}
