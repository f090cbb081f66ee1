import type { ListUsers } from '../../../contract/listedUsers.ts';
import type { ResponseOf } from '../../../contract/operation.ts';
import { LIVE_MS, useApi } from '../../api/useApi.ts';
import { formatDate } from '../../format.ts';
import { Loading } from '../../ui/Loading.tsx';
import { Empty } from '../../ui/Page.tsx';
import { Table } from '../../ui/Table.tsx';
import { userAddress } from '../users/userAddress.ts';

const SHOWN = 8;

export function RecentUsers() {
  const users = useApi<ResponseOf<typeof ListUsers>>(
    '/users',
    { sort: 'active', limit: SHOWN },
    { everyMs: LIVE_MS },
  );
  return (
    <Loading of={users}>
      {(page) =>
        page.users.length === 0 ? (
          <Empty title="Nobody has been active yet">
            <span>Users appear here with their first event.</span>
          </Empty>
        ) : (
          <Table
            label="Users by last activity"
            rows={page.users}
            keyOf={({ id }) => id}
            columns={[
              { title: 'User', cell: ({ id, name }) => <a href={userAddress(id)}>{name ?? id}</a> },
              { title: 'Last active', cell: ({ lastActive }) => formatDate(lastActive) },
            ]}
          />
        )
      }
    </Loading>
  );
}
