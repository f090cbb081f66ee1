import { useEffect, useState } from 'preact/hooks';
import type { ListedUser, ListUsers } from '../../../contract/listedUsers.ts';
import type { ResponseOf } from '../../../contract/operation.ts';
import { addressOf, callApi, type Query } from '../../api/client.ts';
import { useStored } from '../../api/stored.ts';
import type { PointsSystem } from '../../api/types.ts';
import { useAddress } from '../../api/useAddress.ts';
import { LIVE_MS, useApi, useList } from '../../api/useApi.ts';
import { rich } from '../../text/richText.ts';
import { plural, t } from '../../text/translate.ts';
import { Allowed } from '../../ui/Allowed.tsx';
import type { BulkChange } from '../../ui/bulk/BulkDialog.tsx';
import { useSelection } from '../../ui/bulk/useSelection.ts';
import { ErrorMessage, Loading } from '../../ui/Loading.tsx';
import { Card, Empty, Page } from '../../ui/Page.tsx';
import { Table } from '../../ui/Table.tsx';
import { useAction } from '../../ui/useAction.ts';
import { BulkUsers } from './BulkUsers.tsx';
import { POINTS_FILTERS, type ShownSystem } from './filterText.ts';
import { UserFilters } from './UserFilters.tsx';
import { ColumnChoice, SavedFilters, UsersFile } from './UserViews.tsx';
import { USUAL_COLUMNS, type UserColumn, userColumns } from './userColumns.tsx';

type UserPage = ResponseOf<typeof ListUsers>;
type Given = Record<string, string>;
const LIMIT = 50;

/** Parameters of the call. The points system is sent only if something depends on it. */
function requestOf({ query, sort, points: _, ...filters }: Given, system: { key: string } | undefined) {
  const isByPoints = sort === 'points' || POINTS_FILTERS.some((name) => filters[name]);
  return {
    ...filters,
    query,
    sort: query ? undefined : sort,
    points: isByPoints ? system?.key : undefined,
    limit: LIMIT,
  };
}

/** The list of users. Search, order and filters are in the address. */
export function Users() {
  const { query: given, change } = useAddress();
  const systems = useList('/points', { status: 'active' });
  const system = useShownSystem(systems.data, given.points);
  const request = requestOf(given, system);
  const first = useApi(systems.data && '/users', request, { everyMs: LIVE_MS });
  const columns = userColumns(system);
  const [names, choose] = useStored('user-columns', USUAL_COLUMNS);
  const shown = columns.filter(({ name }) => name === 'user' || names.includes(name));
  return (
    <Page
      title={t('Users')}
      lead={first.data && plural(first.data.total, '{n} user', '{n} users')}
      actions={
        <>
          <SavedFilters
            given={given}
            requestOf={systems.data && ((saved) => requestOf(saved, systemOf(systems.data, saved.points)))}
          />
          <ColumnChoice columns={columns} shown={names} choose={choose} />
          <UsersFile request={request} columns={shown} />
        </>
      }
    >
      <UserFilters given={given} change={change} systems={systems.data ?? []} system={system} />
      <Loading of={systems}>
        {() => (
          <Loading of={first}>
            {(page) => (
              <UserPages
                key={addressOf('', request)}
                first={page}
                request={request}
                systems={systems.data ?? []}
                columns={shown.map((column) => sortable(column, given, change))}
                isFiltered={Object.keys(given).length > 0}
              />
            )}
          </Loading>
        )}
      </Loading>
    </Page>
  );
}

/** The points system that an address names, else the first one. */
const systemOf = (systems: PointsSystem[] | null, named: string | undefined): PointsSystem | undefined =>
  systems?.find(({ key }) => key === named) ?? systems?.[0];

/** The same, with its levels. */
function useShownSystem(systems: PointsSystem[] | null, given: string | undefined): ShownSystem | undefined {
  const system = systemOf(systems, given);
  const path = system && `/v1/points/${encodeURIComponent(system.key)}/levels`;
  const levels = useApi(path ?? null).data;
  return system && { key: system.key, name: system.name, levels: levels ?? [] };
}

/** A column whose title sorts the list, unless a search orders it. */
function sortable(
  column: UserColumn,
  { query, sort = 'created' }: Given,
  change: (changed: Query) => void,
): UserColumn {
  const { order } = column;
  if (order === undefined || query) return column;
  const direction = order === 'id' ? 'ascending' : 'descending';
  return {
    ...column,
    isSorted: sort === order ? direction : undefined,
    sort: () => change({ sort: order }),
  };
}

interface UserPagesProps {
  first: UserPage;
  request: Record<string, string | number | undefined>;
  systems: PointsSystem[];
  columns: UserColumn[];
  isFiltered: boolean;
}

/** The first page is live; further ones are read once. */
function UserPages({ first, request, systems, columns, isFiltered }: UserPagesProps) {
  const [more, setMore] = useState<UserPage | null>(null);
  const [open, setOpen] = useState<BulkChange | null>(null);
  const { run, error, isRunning } = useAction();
  const users = unique([...first.users, ...(more?.users ?? [])]);
  const selection = useSelection(
    users,
    ({ id }) => id,
    ({ id, name }) => name ?? id,
  );
  const cursor = more === null ? first.cursor : more.cursor;
  const loadMore = (): Promise<boolean> =>
    run(async () => {
      const next = await callApi<UserPage>('GET', '/users', { query: { ...request, cursor } });
      setMore({ ...next, users: [...(more?.users ?? []), ...next.users] });
    });
  useEffect(() => {
    if (users.length === 0 && cursor !== null && !isRunning) void loadMore();
  }, [cursor, users.length]);
  // A change may empty the list before its dialog is closed.
  if (users.length === 0 && cursor === null && open === null) return <NoUsers isFiltered={isFiltered} />;
  return (
    <Card>
      <BulkUsers {...{ selection, request, columns, systems, open, setOpen }} />
      <Table label={t('Users')} rows={users} keyOf={({ id }) => id} columns={columns} selection={selection} />
      <ErrorMessage text={error} />
      {cursor !== null && (
        <div>
          <button type="button" disabled={isRunning} onClick={loadMore}>
            {isRunning ? t('Searching…') : t('Show more')}
          </button>
        </div>
      )}
    </Card>
  );
}

const unique = (users: ListedUser[]): ListedUser[] => [
  ...new Map(users.map((user) => [user.id, user])).values(),
];

function NoUsers({ isFiltered }: { isFiltered: boolean }) {
  return (
    <Empty title={isFiltered ? t('No matching users') : t('No users yet')}>
      {isFiltered ? (
        <a href="/console/users">{t('Show all users')}</a>
      ) : (
        <span>
          {t('Users are created by their first event.')}{' '}
          <Allowed to="operate">
            {rich(t('To try it, {link}.'), {
              link: <a href="/console#event-form">{t('send an event')}</a>,
            })}
          </Allowed>
        </span>
      )}
    </Empty>
  );
}
