import { LIVE_MS, useApi } from '../../api/useApi.ts';
import { everyText } from '../../text/everyText.ts';
import { formatDate } from '../../text/format.ts';
import { rangeText, t, translated } from '../../text/translate.ts';
import { AdminLink } from '../../ui/Allowed.tsx';
import { ListTable } from '../../ui/Listing.tsx';
import { Card, Page } from '../../ui/Page.tsx';
import { StatusTag } from '../../ui/Tiles.tsx';

export function Leaderboards() {
  return (
    <Page title={t('Leaderboards')}>
      <Card>
        <ListTable
          of={useApi('/v1/leaderboards', { includeFinished: true }, { everyMs: LIVE_MS })}
          none={t('No leaderboards yet')}
          hint={
            <AdminLink href="/console/configuration/leaderboards/new">{t('Create a leaderboard')}</AdminLink>
          }
          label={t('Leaderboards')}
          keyOf={({ id }) => id}
          columns={[
            {
              title: t('Leaderboard'),
              cell: ({ key, name }) => (
                <a href={`/console/leaderboards/${encodeURIComponent(key)}`}>{name}</a>
              ),
            },
            { title: t('Status'), cell: ({ status }) => <StatusTag status={status} /> },
            {
              title: t('Ranked by'),
              cell: ({ rankBy, metricName, pointsSystemName }) =>
                metricName ?? pointsSystemName ?? translated(rankBy),
            },
            {
              title: t('Runs'),
              cell: ({ runUnit, runInterval }) =>
                runUnit ? everyText(runInterval ?? 1, runUnit) : t('all time'),
            },
            {
              title: t('Current run'),
              cell: ({ start, end }) =>
                end
                  ? rangeText(formatDate(start), formatDate(end))
                  : t('since {date}', { date: formatDate(start) }),
            },
          ]}
        />
      </Card>
    </Page>
  );
}
