import type { GetNotificationAnalytics } from '../../../contract/analytics.ts';
import type { ResponseOf } from '../../../contract/operation.ts';
import { useAddress } from '../../api/useAddress.ts';
import { LIVE_MS, useApi, useList } from '../../api/useApi.ts';
import { useRange } from '../../api/useRange.ts';
import { formatNumber, periodStarts, sumOf } from '../../text/format.ts';
import { nameInContract, t, translated } from '../../text/translate.ts';
import { AdminLink } from '../../ui/Allowed.tsx';
import { Instant } from '../../ui/Instant.tsx';
import { LineChart } from '../../ui/LineChart.tsx';
import { ListTable } from '../../ui/Listing.tsx';
import { Loading } from '../../ui/Loading.tsx';
import { RangePicker } from '../../ui/RangePicker.tsx';
import { Select } from '../../ui/Select.tsx';
import { StatusTag, Tiles } from '../../ui/Tiles.tsx';
import { UserLink } from '../users/userAddress.tsx';

const STATUSES = ['pending', 'sent', 'failed', 'suppressed'].map((value) => ({
  value,
  label: translated(value),
}));
const OUTCOMES = ['sent', 'suppressed', 'failed'] as const;

type Analytics = ResponseOf<typeof GetNotificationAnalytics>;
type Outcome = (typeof OUTCOMES)[number];

/** Notifications of the range by outcome, and all deliveries with their status and reason. */
export function Notifications() {
  const { query, change } = useAddress();
  const deliveries = useList(
    '/notifications/deliveries',
    { status: query.status },
    { page: 50, everyMs: LIVE_MS },
  );
  return (
    <>
      <NotificationAnalytics />
      <div class="card-head">
        <h2>{t('Deliveries')}</h2>
        <Select
          aria-label={t('Status')}
          value={query.status}
          choices={STATUSES}
          unset={t('Any status')}
          onChange={(status) => change({ status })}
        />
      </div>
      <ListTable
        of={deliveries}
        none={t('No notifications yet')}
        hint={<AdminLink href="/console/configuration/templates">{t('Activate a template')}</AdminLink>}
        label={t('Notifications')}
        keyOf={({ id }) => id}
        columns={[
          { title: t('User'), cell: ({ userId }) => <UserLink id={userId} /> },
          { title: t('Type'), cell: ({ type }) => nameInContract(type) },
          { title: t('Channel'), cell: ({ channel }) => translated(channel) },
          { title: t('Status'), cell: ({ status }) => <StatusTag status={status} /> },
          { title: t('Reason'), cell: ({ reason }) => reason },
          { title: t('Due'), cell: ({ due }) => <Instant at={due} /> },
        ]}
      />
    </>
  );
}

function NotificationAnalytics() {
  const { query: address, change } = useAddress();
  const { query } = useRange();
  const analytics = useApi('/analytics/notifications', query, { everyMs: LIVE_MS });
  const outcome = OUTCOMES.find((one) => one === address.outcome) ?? 'sent';
  return (
    <>
      <div class="row end">
        <Select
          aria-label={t('Outcome in the chart')}
          value={outcome}
          choices={OUTCOMES.map((value) => ({ value, label: nameInContract(value) }))}
          onChange={(chosen) => change({ outcome: chosen })}
        />
        <RangePicker />
      </div>
      <Loading of={analytics}>{(data) => <OutcomeChart analytics={data} outcome={outcome} />}</Loading>
    </>
  );
}

/** Totals of all outcomes, and one outcome by type and day. */
function OutcomeChart({
  analytics: { from, to, interval, periods },
  outcome,
}: {
  analytics: Analytics;
  outcome: Outcome;
}) {
  const starts = periodStarts(from, to, interval);
  const types = [...new Set(periods.map(({ type }) => type))].sort();
  const valuesOf = (type: string): number[] =>
    starts.map((start) => {
      const found = periods.filter((period) => period.type === type && period.start === start);
      return sumOf(found, (period) => period[outcome]);
    });
  return (
    <>
      <Tiles
        tiles={OUTCOMES.map((one) => ({
          label: nameInContract(one),
          value: formatNumber(sumOf(periods, (period) => period[one])),
        }))}
      />
      {types.length > 0 && (
        <LineChart
          label={t('Notifications by type: {outcome}', { outcome: translated(outcome) })}
          x={starts}
          series={types.map((type) => ({ label: nameInContract(type), values: valuesOf(type) }))}
        />
      )}
    </>
  );
}
