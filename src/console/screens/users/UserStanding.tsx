import type { MetricResponse } from '../../../contract/metric.ts';
import type { GetUserPointsResponse } from '../../../contract/points.ts';
import type { StreakResponse } from '../../../contract/streak.ts';
import type { PointsSystem } from '../../api/types.ts';
import { useList } from '../../api/useApi.ts';
import { count, formatNumber } from '../../format.ts';
import { Loading } from '../../ui/Loading.tsx';
import { type Tile, Tiles } from '../../ui/Tiles.tsx';
import { useUserApi } from './userAddress.ts';

/** Totals, points and streak of a user. */
export function UserStanding({ id }: { id: string }) {
  const metrics = useUserApi<MetricResponse[]>(id, '/metrics');
  const streak = useUserApi<StreakResponse>(id, '/streak', { historyPeriods: 0 }).data;
  const systems = useList<PointsSystem>('/points').data ?? [];
  const freezes = streak?.freezes === undefined ? undefined : count(streak.freezes, 'freeze');
  const ofStreak: Tile[] = streak
    ? [{ label: `Streak, ${streak.frequency}`, value: streak.length, note: freezes }]
    : [];
  const ofMetrics = (totals: MetricResponse[]): Tile[] =>
    totals.map(({ name, current }) => ({ label: name, value: formatNumber(current) }));
  return (
    <Loading of={metrics}>
      {(totals) => (
        <Tiles tiles={[...ofStreak, ...ofMetrics(totals)]}>
          {systems
            .filter(({ status }) => status === 'active')
            .map(({ key }) => (
              <PointsTile key={key} id={id} system={key} />
            ))}
        </Tiles>
      )}
    </Loading>
  );
}

function PointsTile({ id, system }: { id: string; system: string }) {
  const points = useUserApi<GetUserPointsResponse>(id, `/points/${encodeURIComponent(system)}`, {
    awards: 1,
  }).data;
  return (
    <div class="tile">
      <dt>{points?.name ?? system}</dt>
      <dd>
        {formatNumber(points?.total)}
        {points?.level && <div class="note">{points.level.name}</div>}
      </dd>
    </div>
  );
}
