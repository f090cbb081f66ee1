import type { ListLeaderboards } from '../../../contract/leaderboard.ts';
import type { ResponseOf } from '../../../contract/operation.ts';
import { LIVE_MS, useApi } from '../../api/useApi.ts';
import { count, formatDate } from '../../format.ts';
import { Allowed } from '../../ui/Allowed.tsx';
import { Loading } from '../../ui/Loading.tsx';
import { Card, Empty, Page } from '../../ui/Page.tsx';
import { Table } from '../../ui/Table.tsx';
import { Tag } from '../../ui/Tiles.tsx';

export function Leaderboards() {
  const boards = useApi<ResponseOf<typeof ListLeaderboards>>(
    '/v1/leaderboards',
    { includeFinished: true },
    { everyMs: LIVE_MS },
  );
  return (
    <Page title="Leaderboards">
      <Loading of={boards}>
        {(all) =>
          all.length === 0 ? (
            <Empty title="There are no leaderboards yet">
              <Allowed to="admin">
                <a href="/console/configuration/leaderboards/new">Create a leaderboard</a>
              </Allowed>
            </Empty>
          ) : (
            <Card>
              <Table
                label="Leaderboards"
                rows={all}
                keyOf={({ id }) => id}
                columns={[
                  {
                    title: 'Leaderboard',
                    cell: ({ key, name }) => (
                      <a href={`/console/leaderboards/${encodeURIComponent(key)}`}>{name}</a>
                    ),
                  },
                  { title: 'Status', cell: ({ status }) => <Tag text={status} /> },
                  {
                    title: 'Ranked by',
                    cell: ({ rankBy, metricName, pointsSystemName }) =>
                      metricName ?? pointsSystemName ?? rankBy,
                  },
                  {
                    title: 'Runs',
                    cell: ({ runUnit, runInterval }) =>
                      runUnit ? `every ${count(runInterval ?? 1, runUnit)}` : 'for ever',
                  },
                  {
                    title: 'This run',
                    cell: ({ start, end }) =>
                      end ? `${formatDate(start)} to ${formatDate(end)}` : `since ${formatDate(start)}`,
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
