import { useEffect, useState } from 'preact/hooks';
import { partOf, useApi, useList } from '../../api/useApi.ts';
import { useRange } from '../../api/useRange.ts';
import { formatDate, formatNumber } from '../../text/format.ts';
import { t } from '../../text/translate.ts';
import { ListTable } from '../../ui/Listing.tsx';
import { Card, Page } from '../../ui/Page.tsx';
import { RangePicker } from '../../ui/RangePicker.tsx';
import { UserLink } from '../users/userAddress.tsx';

/** Days that are shown at once. */
const PAGE = 100;

/** Unusual days of users. */
export function Anomalies() {
  const { query } = useRange();
  const [skip, setSkip] = useState(0);
  useEffect(() => setSkip(0), [query?.from]);
  const found = useApi('/analytics/anomalies', query && { from: query.from, skip, limit: PAGE });
  const metrics = useList('/metrics').data ?? [];
  const nameOf = (key: string): string => metrics.find((metric) => metric.key === key)?.name ?? key;
  return (
    <Page
      title={t('Anomalies')}
      lead={t(
        'Days on which a user did more than 99.9% of active users and more than five times their usual amount.',
      )}
      actions={<RangePicker />}
    >
      <Card title={t('Days')} note={t('A day is checked once it has ended in every time zone.')}>
        <ListTable
          of={partOf(found, ({ anomalies }) => anomalies)}
          none={t('No anomalies')}
          label={t('Anomalies')}
          keyOf={({ date, metric, userId }) => `${date} ${metric} ${userId}`}
          columns={[
            { title: t('Day'), cell: ({ date }) => formatDate(date) },
            { title: t('User'), cell: ({ userId }) => <UserLink id={userId} /> },
            { title: t('Metric'), cell: ({ metric }) => nameOf(metric) },
            { title: t('Total of the day'), isNumber: true, cell: ({ value }) => formatNumber(value) },
            { title: t('99.9th percentile'), isNumber: true, cell: ({ bound }) => formatNumber(bound) },
            { title: t('Median of the user'), isNumber: true, cell: ({ median }) => formatNumber(median) },
          ]}
        />
        <div class="row">
          {skip > 0 && (
            <button type="button" onClick={() => setSkip(skip - PAGE)}>
              {t('Later days')}
            </button>
          )}
          {found.data?.anomalies.length === PAGE && (
            <button type="button" onClick={() => setSkip(skip + PAGE)}>
              {t('Earlier days')}
            </button>
          )}
        </div>
      </Card>
    </Page>
  );
}
