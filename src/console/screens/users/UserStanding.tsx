import type { MetricResponse } from '../../../contract/metric.ts';
import type { GetUserPointsResponse } from '../../../contract/points.ts';
import type { StreakResponse } from '../../../contract/streak.ts';
import type { PointsSystem } from '../../api/types.ts';
import { useList } from '../../api/useApi.ts';
import { count, formatNumber } from '../../format.ts';
import { type Tile, Tiles } from '../../ui/Tiles.tsx';
import { useUserApi } from './userAddress.ts';

/** Totals, points and streak of a user. */
export function UserStanding({ id }: { id: string }) {
  const metrics = useUserApi<MetricResponse[]>(id, '/metrics').data ?? [];
  const streak = useUserApi<StreakResponse>(id, '/streak', { historyPeriods: 0 }).data;
  const systems = useList<PointsSystem>('/points').data ?? [];
  const tiles: Tile[] = metrics.map(({ name, current }) => ({ label: name, value: formatNumber(current) }));
  const freezes = streak?.freezes === undefined ? undefined : count(streak.freezes, 'freeze');
  return (
    <Tiles
      tiles={[
        ...(streak ? [{ label: `Streak, ${streak.frequency}`, value: streak.length, note: freezes }] : []),
        ...tiles,
      ]}
    >
      {systems
        .filter(({ status }) => status === 'active')
        .map(({ key }) => (
          <PointsTile key={key} id={id} system={key} />
        ))}
    </Tiles>
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
