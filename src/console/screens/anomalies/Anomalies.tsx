import { useEffect, useState } from 'preact/hooks';
import type { ListAnomalies } from '../../../contract/anomalies.ts';
import type { ResponseOf } from '../../../contract/operation.ts';
import type { Metric } from '../../api/types.ts';
import { useApi, useList } from '../../api/useApi.ts';
import { useRange } from '../../api/useRange.ts';
import { formatDate, formatNumber } from '../../format.ts';
import { Loading } from '../../ui/Loading.tsx';
import { Card, Empty, Page } from '../../ui/Page.tsx';
import { RangePicker } from '../../ui/RangePicker.tsx';
import { ShowMore } from '../../ui/ShowMore.tsx';
import { Table } from '../../ui/Table.tsx';
import { userAddress } from '../users/userAddress.ts';

type All = ResponseOf<typeof ListAnomalies>;

/** Days that are shown at once. */
const PAGE = 100;

/** Days of users that are worth a look. */
export function Anomalies() {
  const { range, query, choose } = useRange();
  const [skip, setSkip] = useState(0);
  useEffect(() => setSkip(0), [query?.from]);
  const found = useApi<All>('/analytics/anomalies', query && { from: query.from, skip, limit: PAGE });
  const metrics = useList<Metric>('/metrics').data ?? [];
  const nameOf = (key: string): string => metrics.find((metric) => metric.key === key)?.name ?? key;
  return (
    <Page
      title="Anomalies"
      lead="Days on which a user did more than 99.9% of the active users and more than five times as much as usual."
      actions={<RangePicker range={range} choose={choose} />}
    >
      <Card title="Days" note="A day is examined once it has ended in every time zone.">
        <Loading of={found}>
          {({ anomalies }) =>
            anomalies.length === 0 ? (
              <Empty title="Nothing is conspicuous" />
            ) : (
              <Table
                label="Conspicuous days"
                rows={anomalies}
                keyOf={({ date, metric, userId }) => `${date} ${metric} ${userId}`}
                columns={[
                  { title: 'Day', cell: ({ date }) => formatDate(date) },
                  { title: 'User', cell: ({ userId }) => <a href={userAddress(userId)}>{userId}</a> },
                  { title: 'Metric', cell: ({ metric }) => nameOf(metric) },
                  { title: 'Sum of the day', isNumber: true, cell: ({ value }) => formatNumber(value) },
                  { title: '99.9% of users', isNumber: true, cell: ({ bound }) => formatNumber(bound) },
                  { title: 'Usual for the user', isNumber: true, cell: ({ median }) => formatNumber(median) },
                ]}
              />
            )
          }
        </Loading>
        <div class="row">
          {skip > 0 && (
            <button type="button" onClick={() => setSkip(skip - PAGE)}>
              Later days
            </button>
          )}
          <ShowMore
            label="Earlier days"
            shown={found.data?.anomalies.length}
            max={PAGE}
            onClick={() => setSkip(skip + PAGE)}
          />
        </div>
      </Card>
    </Page>
  );
}
