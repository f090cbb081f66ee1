import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { ListNotificationDeliveries } from '../../../contract/notifications.ts';
import type { ResponseOf } from '../../../contract/operation.ts';
import { addressOf } from '../../api/client.ts';
import { LIVE_MS, useList } from '../../api/useApi.ts';
import { words } from '../../format.ts';
import { Allowed } from '../../ui/Allowed.tsx';
import { Instant } from '../../ui/Instant.tsx';
import { Loading } from '../../ui/Loading.tsx';
import { Empty } from '../../ui/Page.tsx';
import { ShowMore } from '../../ui/ShowMore.tsx';
import { Table } from '../../ui/Table.tsx';
import { Tag } from '../../ui/Tiles.tsx';
import { userAddress } from '../users/userAddress.ts';
import { NotificationAnalytics } from './NotificationAnalytics.tsx';

type Deliveries = ResponseOf<typeof ListNotificationDeliveries>;

/** Notifications that are listed at first, and added by every "Show earlier". */
const PAGE = 50;

/** What was sent to users, what was not, and why. */
export function Notifications() {
  const { query, path, route } = useLocation();
  const [max, setMax] = useState(PAGE);
  const deliveries = useList<Deliveries[number]>(
    '/notifications/deliveries',
    { status: query.status },
    { max, everyMs: LIVE_MS },
  );
  return (
    <>
      <NotificationAnalytics />
      <div class="card-head">
        <h2>Deliveries</h2>
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
      <Loading of={deliveries}>
        {(all) =>
          all.length === 0 ? (
            <Empty title="No notification was due">
              <Allowed to="admin">
                <a href="/console/configuration/templates">Activate a template</a>
              </Allowed>
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
                { title: 'Due', cell: ({ due }) => <Instant at={due} /> },
              ]}
            />
          )
        }
      </Loading>
      <ShowMore shown={deliveries.data?.length} max={max} onClick={() => setMax(max + PAGE)} />
    </>
  );
}
