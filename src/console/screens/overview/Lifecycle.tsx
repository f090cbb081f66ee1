import type { GetLifecycle } from '../../../contract/lifecycle.ts';
import type { ResponseOf } from '../../../contract/operation.ts';
import { LIVE_MS, useApi } from '../../api/useApi.ts';
import type { useRange } from '../../api/useRange.ts';
import { LineChart } from '../../ui/LineChart.tsx';
import { Loading } from '../../ui/Loading.tsx';
import { Card } from '../../ui/Page.tsx';

type Lifecycle = ResponseOf<typeof GetLifecycle>;

/** Where active users come from, and who stays away, week by week. */
export function LifecycleCard({ query }: Pick<ReturnType<typeof useRange>, 'query'>) {
  const lifecycle = useApi<Lifecycle>('/analytics/lifecycle', query && { from: query.from, to: query.to }, {
    everyMs: LIVE_MS,
  });
  return (
    <Card
      title="Users by week"
      note="New: first event in the week. Retained: active in the week before, too. Returned: other active users. Dormant: active in the week before, and not in this one."
    >
      <Loading of={lifecycle}>
        {({ weeks }) => (
          <LineChart
            label="New, retained, returned and dormant users"
            xTitle="Week from"
            x={weeks.map(({ start }) => start)}
            isLastOpen={query?.to === undefined}
            unit="users"
            series={[
              { label: 'Retained', values: weeks.map(({ retainedUsers }) => retainedUsers) },
              { label: 'New', values: weeks.map(({ newUsers }) => newUsers) },
              { label: 'Returned', values: weeks.map(({ returnedUsers }) => returnedUsers) },
              { label: 'Dormant', values: weeks.map(({ dormantUsers }) => dormantUsers) },
            ]}
          />
        )}
      </Loading>
    </Card>
  );
}
