import type { ResponseOf } from '../../../contract/operation.ts';
import type {
  GetAchievementAnalytics,
  ListAchievementAnalytics,
} from '../../../contract/progressAnalytics.ts';
import { LIVE_MS, useApi } from '../../api/useApi.ts';
import { useRange } from '../../api/useRange.ts';
import { count, formatNumber, formatShare } from '../../format.ts';
import { Allowed } from '../../ui/Allowed.tsx';
import { Bars } from '../../ui/Bars.tsx';
import { Loading } from '../../ui/Loading.tsx';
import { Card, Empty, Page } from '../../ui/Page.tsx';
import { RangePicker } from '../../ui/RangePicker.tsx';
import { Table } from '../../ui/Table.tsx';
import { Tag, Tiles } from '../../ui/Tiles.tsx';
import { AchievementFunnel } from './AchievementFunnel.tsx';
import { AchievementName } from './AchievementName.tsx';

type All = ResponseOf<typeof ListAchievementAnalytics>;
type One = ResponseOf<typeof GetAchievementAnalytics>;

export function Achievements() {
  const { range, query, choose } = useRange();
  const analytics = useApi<All>('/analytics/achievements', query, { everyMs: LIVE_MS });
  return (
    <Page title="Achievements" actions={<RangePicker range={range} choose={choose} />}>
      <Loading of={analytics}>
        {({ achievements, totalUsers }) =>
          achievements.length === 0 ? (
            <Empty title="There are no achievements yet">
              <Allowed to="admin">
                <a href="/console/configuration/achievements/new">Create an achievement</a>
              </Allowed>
            </Empty>
          ) : (
            <Card note={`Completions, and their share of ${count(totalUsers, 'user')}.`}>
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
                    title: 'Ever',
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
          )
        }
      </Loading>
    </Page>
  );
}

/** One achievement: how long it takes, how active users are before and after it, and its funnel. */
export function AchievementScreen({ id: key }: { id: string }) {
  const { range, query, choose } = useRange();
  const analytics = useApi<One>(`/analytics/achievements/${encodeURIComponent(key)}`, query, {
    everyMs: LIVE_MS,
  });
  const all = useApi<All>('/analytics/achievements', query).data;
  const name = all?.achievements.find((one) => one.key === key)?.name ?? key;
  return (
    <Page
      title={name}
      lead={<a href="/console/achievements">All achievements</a>}
      actions={<RangePicker range={range} choose={choose} />}
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
      <Card title="Time to complete" note="From the creation of the user.">
        {completions === 0 ? (
          <Empty title="Nobody has completed it in this range">
            <span>Choose a longer range, or make it easier to complete.</span>
          </Empty>
        ) : (
          <Bars bars={bars} />
        )}
      </Card>
      <p class="soft small">
        {activity.users === 0
          ? 'Activity is known 14 days after the first user completed it.'
          : `Activity of ${count(activity.users, 'user')}, from 14 days before to 14 days after.`}{' '}
        It does not prove a cause: <a href="/console/experiment">the experiment</a> does.
      </p>
    </>
  );
}
