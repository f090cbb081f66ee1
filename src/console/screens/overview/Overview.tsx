import { useEffect, useState } from 'preact/hooks';
import type { ListUsers } from '../../../contract/listedUsers.ts';
import type { ResponseOf } from '../../../contract/operation.ts';
import type { Metric } from '../../api/types.ts';
import { LIVE_MS, useApi, useList } from '../../api/useApi.ts';
import { useRange } from '../../api/useRange.ts';
import { formatNumber, withUnit } from '../../format.ts';
import { Allowed, isAllowed } from '../../ui/Allowed.tsx';
import { Bars } from '../../ui/Bars.tsx';
import { LineChart } from '../../ui/LineChart.tsx';
import { Loading } from '../../ui/Loading.tsx';
import { Card, Empty, Page } from '../../ui/Page.tsx';
import { RangePicker } from '../../ui/RangePicker.tsx';
import { EventForm } from '../events/EventForm.tsx';
import { AtRiskCard } from './AtRisk.tsx';
import { FirstSteps } from './FirstSteps.tsx';
import { type Activity, KeyNumbers, type MetricAnalytics, sum } from './KeyNumbers.tsx';
import { LifecycleCard } from './Lifecycle.tsx';
import { RecentUsers } from './RecentUsers.tsx';
import { useMarks } from './useMarks.ts';

const live = { everyMs: LIVE_MS };

/** Analytics, once there is something to analyse. */
export function Overview() {
  const [hasBegun, setBegun] = useState(false);
  // The templates show their progress until the page is reloaded, even if metrics and users exist by then.
  const [isTemplateChosen, setTemplateChosen] = useState(false);
  const whileEmpty = hasBegun ? {} : live;
  const metrics = useApi<Metric[]>('/metrics', { limit: 1 }, whileEmpty);
  const users = useApi<ResponseOf<typeof ListUsers>>('/users', { limit: 1 }, whileEmpty);
  const isInUse = Boolean(metrics.data?.length && users.data?.total);
  useEffect(() => setBegun(isInUse), [isInUse]);
  if (isTemplateChosen || metrics.data?.length === 0) {
    return (
      <Page title="Overview" lead="Nothing is configured yet.">
        <FirstSteps onBegin={() => setTemplateChosen(true)} />
        {!isAllowed('admin') && <Empty title="Somebody with the role admin can begin with a template here" />}
      </Page>
    );
  }
  if (users.data?.total === 0) {
    return (
      <Page title="Overview" lead="Analytics appear here with the first user.">
        <FirstSteps />
        <SendEvent />
      </Page>
    );
  }
  const isWaiting = metrics.isLoading || users.isLoading;
  return isWaiting ? (
    <Page title="Overview">
      <Loading<unknown> of={metrics.isLoading ? metrics : users}>{() => null}</Loading>
    </Page>
  ) : (
    <Analytics />
  );
}

function SendEvent({ onRecorded }: { onRecorded?(): void }) {
  return (
    <Allowed to="operate">
      <Card title="Send an event" note="Recorded like any other event. It creates the user if the id is new.">
        <EventForm onRecorded={onRecorded} />
      </Card>
    </Allowed>
  );
}

function Analytics() {
  const { range, query, before, isLastOpen, choose } = useRange();
  const activity = useApi<Activity>('/analytics/activity', query, live);
  const metrics = useApi<MetricAnalytics>('/analytics/metrics', query, live);
  const activityBefore = useApi<Activity>('/analytics/activity', before);
  const metricsBefore = useApi<MetricAnalytics>('/analytics/metrics', before);
  const refresh = (): void => {
    void activity.reload();
    void metrics.reload();
  };
  return (
    <Page
      title="Overview"
      lead="Analytics follow what happens, without a reload."
      actions={<RangePicker range={range} choose={choose} />}
    >
      <FirstSteps isAside />
      <Loading of={activity}>
        {(data) => (
          <>
            <KeyNumbers
              activity={data}
              metrics={metrics.data}
              activityBefore={activityBefore.data}
              metricsBefore={metricsBefore.data}
              range={range.label}
              isLastOpen={isLastOpen}
            />
            <ActiveUsers activity={data} isLastOpen={isLastOpen} />
          </>
        )}
      </Loading>
      <div class="columns">
        <LifecycleCard query={query} />
        <AtRiskCard />
      </div>
      <div class="columns">
        <div class="stack">
          <Card title="Metrics">
            <Loading of={metrics}>{(analytics) => <MetricBars analytics={analytics} />}</Loading>
          </Card>
          <SendEvent onRecorded={refresh} />
        </div>
        <Card title="Active users" actions={<a href="/console/users?sort=active">All</a>}>
          <RecentUsers />
        </Card>
      </div>
    </Page>
  );
}

function ActiveUsers({
  activity: { periods, timeZone },
  isLastOpen,
}: {
  activity: Activity;
  isLastOpen: boolean;
}) {
  const marks = useMarks(periods[0]?.start);
  return (
    <Card
      title="Users"
      note={`Days of ${timeZone}. Dashed lines are changes of the configuration, boosts, and outages in red.`}
    >
      <LineChart
        label="Active, new and returning users"
        x={periods.map(({ start }) => start)}
        marks={marks}
        unit="users"
        isLastOpen={isLastOpen}
        series={[
          { label: 'Active', values: periods.map(({ activeUsers }) => activeUsers) },
          { label: 'New', values: periods.map(({ newUsers }) => newUsers) },
          { label: 'Returning', values: periods.map(({ returningUsers }) => returningUsers) },
        ]}
      />
    </Card>
  );
}

function MetricBars({ analytics }: { analytics: MetricAnalytics }) {
  const metrics = useList<Metric>('/metrics').data ?? [];
  const names = new Map(analytics.periods.map(({ metric, metricName }) => [metric, metricName]));
  if (names.size === 0) {
    return (
      <Empty title="No events in this range">
        <Allowed to="operate">
          <span>Send one from this page, or from your backend.</span>
        </Allowed>
      </Empty>
    );
  }
  const bars = Array.from(names, ([key, label]) => {
    const periods = analytics.periods.filter(({ metric }) => metric === key);
    const value = sum(periods.map(({ events }) => events));
    const units = metrics.find((metric) => metric.key === key)?.units;
    const total = sum(periods.map((period) => period.sum));
    return {
      label,
      value,
      shown: `${formatNumber(value)} events, sum ${withUnit(formatNumber(total), units)}`,
    };
  });
  return <Bars bars={bars} />;
}
