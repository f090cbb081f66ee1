import type { ListConfigVersions } from '../../../contract/adminConfiguration.ts';
import type { ResponseOf } from '../../../contract/operation.ts';
import type { RecordedOutage } from '../../../contract/outages.ts';
import { ofAccount } from '../../api/session.ts';
import type { PointsSystem } from '../../api/types.ts';
import { useApi, useList } from '../../api/useApi.ts';
import { count, formatDuration } from '../../format.ts';
import { outageText } from '../../health.ts';
import type { Mark } from '../../ui/chartOptions.ts';
import type { Item } from '../configuration/entityLists.ts';

type Version = ResponseOf<typeof ListConfigVersions>[number];

/** Latest versions of the configuration that are marked. */
const VERSIONS_MAX = 100;

/** What may explain a change of the numbers: outages, new configurations, boosts of the first system. */
export function useMarks(from: string | undefined): Mark[] {
  const versions = useList<Version>('/config/versions', {}, { max: VERSIONS_MAX }).data ?? [];
  const system = useApi<PointsSystem[]>('/points', { limit: 1 }).data?.[0];
  const boosts = useList<Item>(system ? `/points/${system.id}/boosts` : null).data ?? [];
  const outages = useApi<RecordedOutage[]>(ofAccount('/outages')).data ?? [];
  const changes = new Map<string, number>();
  for (const { at } of versions) changes.set(at.slice(0, 10), (changes.get(at.slice(0, 10)) ?? 0) + 1);
  const marks: Mark[] = [
    ...outages.map((outage) => ({
      at: outage.began.slice(0, 10),
      text: `${outageText(outage)} for ${formatDuration(outage.seconds)}`,
      isOutage: true,
    })),
    ...Array.from(changes, ([at, number]) => ({
      at,
      text: `${count(number, 'change')} of the configuration`,
    })),
    ...boosts.map(({ name, start }) => ({ at: String(start), text: `Boost “${name}” begins` })),
    ...boosts
      .filter(({ end }) => end)
      .map(({ name, end }) => ({ at: String(end), text: `Boost “${name}” ends` })),
  ];
  return marks.filter(({ at }) => from === undefined || at >= from);
}
