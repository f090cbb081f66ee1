import type { GetActivity, GetMetricAnalytics } from '../../../contract/analytics.ts';
import type { ResponseOf } from '../../../contract/operation.ts';
import { LIVE_MS, useApi } from '../../api/useApi.ts';
import { useRange } from '../../api/useRange.ts';
import { formatNumber, formatShare } from '../../format.ts';
import { Bars } from '../../ui/Bars.tsx';
import { LineChart } from '../../ui/LineChart.tsx';
import { Loading } from '../../ui/Loading.tsx';
import { Card, Empty, Page } from '../../ui/Page.tsx';
import { RangePicker } from '../../ui/RangePicker.tsx';
import { Tiles } from '../../ui/Tiles.tsx';
import { EventForm } from '../events/EventForm.tsx';
import { FirstSteps } from './FirstSteps.tsx';
import { RecentUsers } from './RecentUsers.tsx';

type Activity = ResponseOf<typeof GetActivity>;
type MetricAnalytics = ResponseOf<typeof GetMetricAnalytics>;

const live = { everyMs: LIVE_MS };

export function Overview() {
  const { range, query, choose } = useRange();
  const activity = useApi<Activity>('/analytics/activity', query, live);
  const metrics = useApi<MetricAnalytics>('/analytics/metrics', query, live);
  const refresh = (): void => {
    activity.reload();
    metrics.reload();
  };
  return (
    <Page
      title="Overview"
      lead="Analytics follow what happens, without a reload."
      actions={<RangePicker range={range} choose={choose} />}
    >
      <FirstSteps />
      <Loading of={activity}>
        {(analytics) => <ActivityAnalytics activity={analytics} metrics={metrics.data} range={range.label} />}
      </Loading>
      <div class="columns">
        <div class="stack">
          <Card title="Metrics">
            <Loading of={metrics}>{(analytics) => <MetricBars analytics={analytics} />}</Loading>
          </Card>
          <Card
            title="Send an event"
            note="Recorded like any other event. It creates the user if the id is new."
          >
            <EventForm onRecorded={refresh} />
          </Card>
        </div>
        <Card title="Active users" actions={<a href="/console/users?sort=active">All</a>}>
          <RecentUsers />
        </Card>
      </div>
    </Page>
  );
}

const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0);

function ActivityAnalytics({
  activity: { periods, timeZone },
  metrics,
  range,
}: {
  activity: Activity;
  metrics: MetricAnalytics | null;
  range: string;
}) {
  const last = periods.at(-1)!;
  const events = metrics && sum(metrics.periods.map((period) => period.events));
  return (
    <>
      <Tiles
        tiles={[
          { label: 'Active a day', value: formatNumber(last.dailyActiveUsers), note: 'latest' },
          { label: 'Active in 7 days', value: formatNumber(last.weeklyActiveUsers) },
          { label: 'Active in 30 days', value: formatNumber(last.monthlyActiveUsers) },
          { label: 'Stickiness', value: formatShare(last.stickiness), note: 'a day / 30 days' },
          {
            label: 'New users',
            value: formatNumber(sum(periods.map(({ newUsers }) => newUsers))),
            note: range,
          },
          { label: 'Events', value: formatNumber(events), note: range },
        ]}
      />
      <Card title="Users" note={`Days of ${timeZone}.`}>
        <LineChart
          label="Active, new and returning users"
          x={periods.map(({ start }) => start)}
          series={[
            { label: 'Active', values: periods.map(({ activeUsers }) => activeUsers) },
            { label: 'New', values: periods.map(({ newUsers }) => newUsers) },
            { label: 'Returning', values: periods.map(({ returningUsers }) => returningUsers) },
          ]}
        />
      </Card>
    </>
  );
}

function MetricBars({ analytics }: { analytics: MetricAnalytics }) {
  const names = new Map(analytics.periods.map(({ metric, metricName }) => [metric, metricName]));
  if (names.size === 0) {
    return (
      <Empty title="No events in this range">
        <span>Send one from this page, or from your backend.</span>
      </Empty>
    );
  }
  const bars = Array.from(names, ([key, label]) => {
    const periods = analytics.periods.filter(({ metric }) => metric === key);
    const value = sum(periods.map(({ events }) => events));
    const total = sum(periods.map((period) => period.sum));
    return { label, value, shown: `${formatNumber(value)} events, sum ${formatNumber(total)}` };
  });
  return <Bars bars={bars} />;
}
