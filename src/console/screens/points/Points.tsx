import { useLocation } from 'preact-iso';
import type { ResponseOf } from '../../../contract/operation.ts';
import type { GetPointsAnalytics } from '../../../contract/progressAnalytics.ts';
import { addressOf } from '../../api/client.ts';
import type { PointsSystem } from '../../api/types.ts';
import { LIVE_MS, useApi, useList } from '../../api/useApi.ts';
import { useRange } from '../../api/useRange.ts';
import { count, formatNumber } from '../../format.ts';
import { Allowed } from '../../ui/Allowed.tsx';
import { Bars } from '../../ui/Bars.tsx';
import { LineChart } from '../../ui/LineChart.tsx';
import { Loading } from '../../ui/Loading.tsx';
import { Card, Empty, Page } from '../../ui/Page.tsx';
import { RangePicker } from '../../ui/RangePicker.tsx';
import { Tiles } from '../../ui/Tiles.tsx';
import { useMarks } from '../overview/useMarks.ts';
import { triggerText } from './triggerText.ts';

type Analytics = ResponseOf<typeof GetPointsAnalytics>;

/** Where points come from and where they go; the system is in the address. */
export function Points() {
  const { query: given, path, route } = useLocation();
  const { range, choose } = useRange();
  const systems = useList<PointsSystem>('/points');
  const active = (systems.data ?? []).filter(({ status }) => status === 'active');
  const system = active.find(({ key }) => key === given.system) ?? active[0];
  return (
    <Page
      title="Points"
      actions={
        <>
          {active.length > 1 && (
            <select
              aria-label="Points system"
              value={system?.key}
              onChange={(event) =>
                route(addressOf(path, { ...given, system: event.currentTarget.value }), true)
              }
            >
              {active.map(({ key, name }) => (
                <option key={key} value={key}>
                  {name}
                </option>
              ))}
            </select>
          )}
          <RangePicker range={range} choose={choose} />
        </>
      }
    >
      <Loading of={systems}>
        {() =>
          system === undefined ? (
            <Empty title="There is no points system yet">
              <Allowed to="admin">
                <a href="/console/configuration/points/new">Create a points system</a>
              </Allowed>
            </Empty>
          ) : (
            <SystemAnalytics key={system.key} system={system} />
          )
        }
      </Loading>
    </Page>
  );
}

function SystemAnalytics({ system: { key, name } }: { system: PointsSystem }) {
  const { query } = useRange();
  const analytics = useApi<Analytics>(`/analytics/points/${encodeURIComponent(key)}`, query, {
    everyMs: LIVE_MS,
  });
  return <Loading of={analytics}>{(data) => <PointsAnalytics analytics={data} unit={name} />}</Loading>;
}

interface PointsAnalyticsProps {
  analytics: Analytics;
  /** Name of the points system. */
  unit: string;
}

function PointsAnalytics({ analytics: { periods, sources, sinks, levels }, unit }: PointsAnalyticsProps) {
  const { isLastOpen } = useRange();
  const marks = useMarks(periods[0]?.start);
  const sum = (values: number[]): string => formatNumber(values.reduce((all, one) => all + one, 0));
  return (
    <>
      <Tiles
        tiles={[
          { label: 'Gained', value: sum(periods.map(({ gained }) => gained)) },
          { label: 'Spent', value: sum(periods.map(({ spent }) => spent)) },
          { label: 'Awards', value: sum(periods.map(({ awards }) => awards)) },
        ]}
      />
      <Card title="Gained and spent">
        <LineChart
          label="Points gained and spent"
          x={periods.map(({ start }) => start)}
          isLastOpen={isLastOpen}
          marks={marks}
          unit={unit}
          series={[
            { label: 'Gained', values: periods.map(({ gained }) => gained) },
            { label: 'Spent', values: periods.map(({ spent }) => spent) },
          ]}
        />
      </Card>
      <div class="columns">
        <Card title="Where points come from">
          <Flow flow={sources} />
        </Card>
        <Card title="Where points go">
          <Flow flow={sinks} isNegative />
        </Card>
        <Card title="Users by level" note="Now.">
          {levels.length === 0 ? (
            <p class="soft">This points system has no levels.</p>
          ) : (
            <Bars bars={levels.map(({ level, users }) => ({ label: level.name, value: users }))} />
          )}
        </Card>
      </div>
    </>
  );
}

type Source = Analytics['sources'][number];

function sourceText({
  trigger,
  type,
  leaderboard,
}: Pick<Source, 'trigger' | 'type' | 'leaderboard'>): string {
  if (type === 'adjustment') return 'Adjusted by an administrator';
  if (type === 'import') return 'Imported';
  if (type === 'leaderboard') return `Reward of ${leaderboard?.name ?? 'a deleted leaderboard'}`;
  return triggerText(trigger);
}

function Flow({ flow, isNegative }: { flow: Analytics['sources']; isNegative?: boolean }) {
  if (flow.length === 0) return <p class="soft">None in this range.</p>;
  const bars = flow.map(({ awards, points, ...source }) => ({
    label: sourceText(source),
    value: points,
    shown: `${formatNumber(points)} in ${count(awards, 'award')}`,
  }));
  return <Bars bars={bars} isNegative={isNegative} />;
}
