import { useEffect, useState } from 'preact/hooks';
import { LIVE_MS, partOf, useApi, useList } from '../../api/useApi.ts';
import { useRange } from '../../api/useRange.ts';
import { formatDate, formatNumber, sumOf, withUnit } from '../../text/format.ts';
import { plural, t } from '../../text/translate.ts';
import { Allowed, isAllowed } from '../../ui/Allowed.tsx';
import { Bars } from '../../ui/Bars.tsx';
import { LineChart } from '../../ui/LineChart.tsx';
import { ListTable } from '../../ui/Listing.tsx';
import { Loading } from '../../ui/Loading.tsx';
import { Card, Empty, Page } from '../../ui/Page.tsx';
import { RangePicker } from '../../ui/RangePicker.tsx';
import { EventForm } from '../events/EventForm.tsx';
import { UserLink } from '../users/userAddress.tsx';
import { AtRiskCard } from './AtRisk.tsx';
import { FirstSteps } from './FirstSteps.tsx';
import { type Activity, KeyNumbers, type MetricAnalytics } from './KeyNumbers.tsx';
import { PeriodChart } from './PeriodChart.tsx';

const live = { everyMs: LIVE_MS };

/** Analytics, or the first steps while there are none. */
export function Overview() {
  const [hasBegun, setBegun] = useState(false);
  // The templates show their progress until the page is reloaded, even if metrics and users exist by then.
  const [isTemplateChosen, setTemplateChosen] = useState(false);
  const whileEmpty = hasBegun ? {} : live;
  const metrics = useApi('/metrics', { limit: 1 }, whileEmpty);
  const users = useApi('/users', { limit: 1 }, whileEmpty);
  const isInUse = Boolean(metrics.data?.length && users.data?.total);
  useEffect(() => setBegun(isInUse), [isInUse]);
  if (isTemplateChosen || metrics.data?.length === 0) {
    return (
      <Page title={t('Overview')} lead={t('Nothing configured yet.')}>
        <FirstSteps onBegin={() => setTemplateChosen(true)} />
        {!isAllowed('admin') && <Empty title={t('An admin can set up laurel from a template here')} />}
      </Page>
    );
  }
  if (metrics.isLoading || users.isLoading) {
    return (
      <Page title={t('Overview')}>
        <Loading<unknown> of={metrics.isLoading ? metrics : users}>{() => null}</Loading>
      </Page>
    );
  }
  const hasUsers = users.data?.total !== 0;
  // The first steps are the same element before and after the first event: what is open in them stays open.
  return (
    <Page
      title={t('Overview')}
      lead={hasUsers ? t('Updates live.') : t('Analytics appear after the first event.')}
      actions={hasUsers && <RangePicker />}
    >
      <FirstSteps isAside={hasUsers} />
      {hasUsers ? <Analytics /> : <SendEvent />}
    </Page>
  );
}

function SendEvent({ onRecorded }: { onRecorded?(): void }) {
  return (
    <Allowed to="operate">
      <Card title={t('Send event')} note={t('Recorded like any other event. A new ID creates a user.')}>
        <EventForm onRecorded={onRecorded} />
      </Card>
    </Allowed>
  );
}

function Analytics() {
  const { label, query, before, isLastOpen } = useRange();
  const activity = useApi('/analytics/activity', query, live);
  const metrics = useApi('/analytics/metrics', query, live);
  const activityBefore = useApi('/analytics/activity', before);
  const metricsBefore = useApi('/analytics/metrics', before);
  const refresh = (): void => {
    void activity.reload();
    void metrics.reload();
  };
  return (
    <>
      <Loading of={activity}>
        {(data) => (
          <>
            <KeyNumbers
              activity={data}
              metrics={metrics.data}
              activityBefore={activityBefore.data}
              metricsBefore={metricsBefore.data}
              range={label}
              isLastOpen={isLastOpen}
            />
            <ActiveUsers activity={data} />
          </>
        )}
      </Loading>
      <div class="columns">
        <LifecycleCard />
        <div class="stack">
          <AtRiskCard />
          <Card title={t('Metrics')}>
            <Loading of={metrics}>{(analytics) => <MetricBars analytics={analytics} />}</Loading>
          </Card>
        </div>
      </div>
      <div class="columns">
        <SendEvent onRecorded={refresh} />
        <Card
          title={t('Recently active users')}
          actions={<a href="/console/users?sort=active">{t('View all')}</a>}
        >
          <RecentUsers />
        </Card>
      </div>
    </>
  );
}

const ActiveUsers = ({ activity: { periods, timeZone } }: { activity: Activity }) => (
  <Card
    title={t('Users')}
    note={t('Days in {timeZone}. Dashed lines mark configuration changes, boosts and, in red, outages.', {
      timeZone,
    })}
  >
    <PeriodChart
      label={t('Active, new and returning users')}
      unit={t('users')}
      periods={periods}
      lines={[
        [t('Active'), ({ activeUsers }) => activeUsers],
        [t('New'), ({ newUsers }) => newUsers],
        [t('Returning'), ({ returningUsers }) => returningUsers],
      ]}
    />
  </Card>
);

/** New, retained, returned and dormant users by week. */
function LifecycleCard() {
  const { query, isLastOpen } = useRange();
  const lifecycle = useApi('/analytics/lifecycle', query && { from: query.from, to: query.to }, live);
  return (
    <Card
      title={t('Users by week')}
      note={t(
        'New: first event in the week. Retained: also active in the previous week. Returned: other active users. Dormant: active in the previous week, but not in this one.',
      )}
    >
      <Loading of={lifecycle}>
        {({ weeks }) => (
          <LineChart
            label={t('New, retained, returned and dormant users')}
            xTitle={t('Week from')}
            x={weeks.map(({ start }) => start)}
            isLastOpen={isLastOpen}
            unit={t('users')}
            series={[
              { label: t('Retained'), values: weeks.map(({ retainedUsers }) => retainedUsers) },
              { label: t('New'), values: weeks.map(({ newUsers }) => newUsers) },
              { label: t('Returned'), values: weeks.map(({ returnedUsers }) => returnedUsers) },
              { label: t('Dormant'), values: weeks.map(({ dormantUsers }) => dormantUsers) },
            ]}
          />
        )}
      </Loading>
    </Card>
  );
}

const RecentUsers = () => (
  <ListTable
    of={partOf(useApi('/users', { sort: 'active', limit: 8 }, live), ({ users }) => users)}
    none={t('No active users yet')}
    hint={t('Users appear here with their first event.')}
    label={t('Users by last activity')}
    keyOf={({ id }) => id}
    columns={[
      { title: t('User'), cell: (user) => <UserLink {...user} /> },
      { title: t('Last active'), cell: ({ lastActive }) => formatDate(lastActive) },
    ]}
  />
);

function MetricBars({ analytics }: { analytics: MetricAnalytics }) {
  const metrics = useList('/metrics').data ?? [];
  const names = new Map(analytics.periods.map(({ metric, metricName }) => [metric, metricName]));
  if (names.size === 0) {
    return (
      <Empty title={t('No events in this range')}>
        <Allowed to="operate">
          <span>{t('Send one from this page or from your backend.')}</span>
        </Allowed>
      </Empty>
    );
  }
  const bars = Array.from(names, ([key, label]) => {
    const periods = analytics.periods.filter(({ metric }) => metric === key);
    const value = sumOf(periods, ({ events }) => events);
    const units = metrics.find((metric) => metric.key === key)?.units;
    const total = sumOf(periods, ({ sum }) => sum);
    return {
      label,
      value,
      shown: plural(value, '{n} event, sum {sum}', '{n} events, sum {sum}', {
        sum: withUnit(formatNumber(total), units),
      }),
    };
  });
  return <Bars bars={bars} />;
}
