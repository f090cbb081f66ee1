import { useLocation } from 'preact-iso';
import type { GetNotificationAnalytics } from '../../../contract/analytics.ts';
import type { ListNotificationDeliveries } from '../../../contract/notifications.ts';
import type { ResponseOf } from '../../../contract/operation.ts';
import { addressOf } from '../../api/client.ts';
import { LIVE_MS, useApi } from '../../api/useApi.ts';
import { addDays, formatInstant, words } from '../../format.ts';
import { LineChart } from '../../ui/LineChart.tsx';
import { Loading } from '../../ui/Loading.tsx';
import { Empty } from '../../ui/Page.tsx';
import { Table } from '../../ui/Table.tsx';
import { Tag } from '../../ui/Tiles.tsx';
import { userAddress } from '../users/address.ts';

type Figures = ResponseOf<typeof GetNotificationAnalytics>;
type Deliveries = ResponseOf<typeof ListNotificationDeliveries>;

/** What was sent to users, what was not, and why. */
export function Notifications() {
  const { query, path, route } = useLocation();
  const deliveries = useApi<Deliveries>(
    '/notifications/deliveries',
    { status: query.status, limit: 50 },
    { everyMs: LIVE_MS },
  );
  return (
    <>
      <div>
        <select
          aria-label="Status"
          value={query.status ?? ''}
          onChange={(event) => route(addressOf(path, { ...query, status: event.currentTarget.value }), true)}
        >
          <option value="">Any status</option>
          {['pending', 'sent', 'failed', 'suppressed'].map((status) => (
            <option key={status} value={status}>
              {status}
            </option>
          ))}
        </select>
      </div>
      <NotificationChart />
      <Loading of={deliveries}>
        {(all) =>
          all.length === 0 ? (
            <Empty title="No notification was due">
              <a href="/console/configuration/templates">Activate a template</a>
            </Empty>
          ) : (
            <Table
              label="Notifications"
              rows={all}
              keyOf={({ id }) => id}
              columns={[
                { title: 'User', cell: ({ userId }) => <a href={userAddress(userId)}>{userId}</a> },
                { title: 'Type', cell: ({ type }) => words(type) },
                { title: 'Channel', cell: ({ channel }) => channel },
                { title: 'Status', cell: ({ status }) => <Tag text={status} /> },
                { title: 'Reason', cell: ({ reason }) => reason },
                { title: 'Due', cell: ({ due }) => formatInstant(due) },
              ]}
            />
          )
        }
      </Loading>
    </>
  );
}

const OUTCOMES = ['sent', 'suppressed', 'failed'] as const;

/** Notifications of the last 30 days, by what became of them. */
function NotificationChart() {
  const figures = useApi<Figures>('/analytics/notifications', {}, { everyMs: LIVE_MS }).data;
  if (figures === null || figures.periods.length === 0) return null;
  const days: string[] = [];
  for (let day = figures.from; day <= figures.to; day = addDays(day, 1)) days.push(day);
  const countOf = (day: string, outcome: (typeof OUTCOMES)[number]): number =>
    figures.periods.reduce((sum, period) => (period.start === day ? sum + period[outcome] : sum), 0);
  return (
    <LineChart
      label="Notifications by day"
      x={days}
      series={OUTCOMES.map((outcome) => ({
        label: words(outcome),
        values: days.map((day) => countOf(day, outcome)),
      }))}
    />
  );
}
