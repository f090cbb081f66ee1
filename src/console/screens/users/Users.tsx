import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { AdminUser, ListUsers } from '../../../contract/adminUsers.ts';
import type { ResponseOf } from '../../../contract/operation.ts';
import { ADMIN, addressOf, callApi } from '../../api/client.ts';
import { useAction } from '../../api/useAction.ts';
import { LIVE_MS, useApi } from '../../api/useApi.ts';
import { formatDate, formatInstant } from '../../format.ts';
import { ErrorMessage, Loading } from '../../ui/Loading.tsx';
import { Card, Empty, Page } from '../../ui/Page.tsx';
import { Table } from '../../ui/Table.tsx';
import { Tag } from '../../ui/Tiles.tsx';
import { UserFilters } from './UserFilters.tsx';
import { userAddress } from './userAddress.ts';

type UserPage = ResponseOf<typeof ListUsers>;
const LIMIT = 50;

/** The list of users: search and filters are in the address. */
export function Users() {
  const { query: given, path, route } = useLocation();
  const change = (changed: Record<string, string | null>): void => {
    route(addressOf(path, { ...given, ...changed }), true);
  };
  const { query, sort, ...filters } = given;
  const request = { ...filters, query, sort: query ? undefined : sort, limit: LIMIT };
  const first = useApi<UserPage>('/users', request, { everyMs: LIVE_MS });
  return (
    <Page title="Users">
      <UserFilters given={given} change={change} />
      <Loading of={first}>
        {(page) => (
          <UserPages
            key={addressOf('', request)}
            first={page}
            request={request}
            isFiltered={Object.keys(given).length > 0}
          />
        )}
      </Loading>
    </Page>
  );
}

interface UserPagesProps {
  first: UserPage;
  request: Record<string, string | number | undefined>;
  isFiltered: boolean;
}

/** The first page stays live; further ones are as they were when they were asked for. */
function UserPages({ first, request, isFiltered }: UserPagesProps) {
  const [more, setMore] = useState<UserPage | null>(null);
  const { run, error, isRunning } = useAction();
  const users = [...first.users, ...(more?.users ?? [])];
  const cursor = more === null ? first.cursor : more.cursor;
  const loadMore = (): Promise<boolean> =>
    run(async () => {
      const next = await callApi<UserPage>('GET', `${ADMIN}/users`, { query: { ...request, cursor } });
      setMore({ users: [...(more?.users ?? []), ...next.users], cursor: next.cursor });
    });
  useEffect(() => {
    if (users.length === 0 && cursor !== null && !isRunning) void loadMore();
  }, [cursor, users.length]);
  if (users.length === 0 && cursor === null) {
    return (
      <Empty title={isFiltered ? 'No user matches' : 'There are no users yet'}>
        {isFiltered ? (
          <a href="/console/users">Show all users</a>
        ) : (
          <span>
            A user is created by the first event. <a href="/console#event-form">Send one</a>, or let your
            backend do it.
          </span>
        )}
      </Empty>
    );
  }
  return (
    <Card>
      <UserTable users={users} />
      <ErrorMessage text={error} />
      {cursor !== null && (
        <div>
          <button type="button" disabled={isRunning} onClick={loadMore}>
            {isRunning ? 'Searching…' : 'Show more'}
          </button>
        </div>
      )}
    </Card>
  );
}

function UserTable({ users }: { users: AdminUser[] }) {
  const unique = [...new Map(users.map((user) => [user.id, user])).values()];
  return (
    <Table
      label="Users"
      rows={unique}
      keyOf={({ id }) => id}
      columns={[
        {
          title: 'User',
          cell: ({ id, name }) => (
            <>
              <a href={userAddress(id)}>{name ?? id}</a>
              {name && <div class="soft small">{id}</div>}
            </>
          ),
        },
        { title: 'Email', cell: ({ email }) => email },
        {
          title: 'Attributes',
          cell: ({ attributes, control }) => (
            <span class="row">
              {Object.entries(attributes).map(([key, value]) => (
                <Tag key={key} text={`${key}: ${value}`} />
              ))}
              {control && <Tag text="control group" />}
            </span>
          ),
        },
        { title: 'Created', cell: ({ created }) => formatInstant(created) },
        { title: 'Last active', cell: ({ lastActive }) => formatDate(lastActive) },
      ]}
    />
  );
}
