import { useLocation } from 'preact-iso';
import type { GetNotificationAnalytics } from '../../../contract/analytics.ts';
import type { ResponseOf } from '../../../contract/operation.ts';
import { addressOf } from '../../api/client.ts';
import { LIVE_MS, useApi } from '../../api/useApi.ts';
import { useRange } from '../../api/useRange.ts';
import { formatNumber, periodStarts, words } from '../../format.ts';
import { LineChart } from '../../ui/LineChart.tsx';
import { Loading } from '../../ui/Loading.tsx';
import { RangePicker } from '../../ui/RangePicker.tsx';
import { Tiles } from '../../ui/Tiles.tsx';

type Analytics = ResponseOf<typeof GetNotificationAnalytics>;
type Period = Analytics['periods'][number];

const OUTCOMES = ['sent', 'suppressed', 'failed'] as const;
type Outcome = (typeof OUTCOMES)[number];

/** Notifications of the range by what became of them, and those of one outcome by type and day. */
export function NotificationAnalytics() {
  const { query: address, path, route } = useLocation();
  const { range, query, choose } = useRange();
  const analytics = useApi<Analytics>('/analytics/notifications', query, { everyMs: LIVE_MS });
  const outcome = OUTCOMES.find((one) => one === address.outcome) ?? 'sent';
  return (
    <>
      <div class="row end">
        <select
          aria-label="Outcome in the chart"
          value={outcome}
          onChange={(event) =>
            route(addressOf(path, { ...address, outcome: event.currentTarget.value }), true)
          }
        >
          {OUTCOMES.map((one) => (
            <option key={one} value={one}>
              {words(one)}
            </option>
          ))}
        </select>
        <RangePicker range={range} choose={choose} />
      </div>
      <Loading of={analytics}>{(data) => <Chart analytics={data} outcome={outcome} />}</Loading>
    </>
  );
}

const total = (periods: Period[], outcome: Outcome): number =>
  periods.reduce((sum, period) => sum + period[outcome], 0);

function Chart({
  analytics: { from, to, interval, periods },
  outcome,
}: {
  analytics: Analytics;
  outcome: Outcome;
}) {
  const starts = periodStarts(from, to, interval);
  const types = [...new Set(periods.map(({ type }) => type))].sort();
  return (
    <>
      <Tiles
        tiles={OUTCOMES.map((one) => ({ label: words(one), value: formatNumber(total(periods, one)) }))}
      />
      {types.length > 0 && (
        <LineChart
          label={`Notifications by type: ${outcome}`}
          x={starts}
          series={types.map((type) => ({
            label: words(type),
            values: starts.map((start) =>
              total(
                periods.filter((period) => period.type === type && period.start === start),
                outcome,
              ),
            ),
          }))}
        />
      )}
    </>
  );
}
