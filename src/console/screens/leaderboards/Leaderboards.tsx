import { LIVE_MS, useApi } from '../../api/useApi.ts';
import { count, formatDate } from '../../text/format.ts';
import { AdminLink } from '../../ui/Allowed.tsx';
import { ListTable } from '../../ui/Listing.tsx';
import { Card, Page } from '../../ui/Page.tsx';
import { Tag } from '../../ui/Tiles.tsx';

export function Leaderboards() {
  return (
    <Page title="Leaderboards">
      <Card>
        <ListTable
          of={useApi('/v1/leaderboards', { includeFinished: true }, { everyMs: LIVE_MS })}
          none="No leaderboards yet"
          hint={<AdminLink href="/console/configuration/leaderboards/new">Create a leaderboard</AdminLink>}
          label="Leaderboards"
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
              cell: ({ rankBy, metricName, pointsSystemName }) => metricName ?? pointsSystemName ?? rankBy,
            },
            {
              title: 'Runs',
              cell: ({ runUnit, runInterval }) =>
                runUnit ? `every ${count(runInterval ?? 1, runUnit)}` : 'all time',
            },
            {
              title: 'Current run',
              cell: ({ start, end }) =>
                end ? `${formatDate(start)} to ${formatDate(end)}` : `since ${formatDate(start)}`,
            },
          ]}
        />
      </Card>
    </Page>
  );
}
