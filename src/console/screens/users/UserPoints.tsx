import { useState } from 'preact/hooks';
import { AWARDS_PER_READ_MAX } from '../../../base/limits.ts';
import type { GetUserPointsResponse } from '../../../contract/points.ts';
import type { PointsSystem } from '../../api/types.ts';
import { useList } from '../../api/useApi.ts';
import { formatInstant, formatNumber } from '../../format.ts';
import { Loading } from '../../ui/Loading.tsx';
import { Card } from '../../ui/Page.tsx';
import { ShowMore } from '../../ui/ShowMore.tsx';
import { Table } from '../../ui/Table.tsx';
import { triggerText } from '../points/triggerText.ts';
import { useUserApi } from './userAddress.ts';

/** Why a user has these points: the latest awards with their causes. */
export function UserPoints({ id, timeZone }: { id: string; timeZone: string | null }) {
  const all = useList<PointsSystem>('/points');
  const systems = (all.data ?? []).filter(({ status }) => status === 'active');
  const [chosen, setChosen] = useState<string | null>(null);
  const system = chosen ?? systems[0]?.key;
  if (system === undefined) return <Loading of={all}>{() => null}</Loading>;
  const choice = systems.length > 1 && (
    <select
      aria-label="Points system"
      value={system}
      onChange={(event) => setChosen(event.currentTarget.value)}
    >
      {systems.map(({ key, name }) => (
        <option key={key} value={key}>
          {name}
        </option>
      ))}
    </select>
  );
  return (
    <Card title="Why these points" actions={choice}>
      <Awards key={system} id={id} system={system} timeZone={timeZone} />
    </Card>
  );
}

/** Awards that are listed at first. */
const AWARDS = 12;

function Awards({ id, system, timeZone }: { id: string; system: string; timeZone: string | null }) {
  const [max, setMax] = useState(AWARDS);
  const points = useUserApi<GetUserPointsResponse>(id, `/points/${encodeURIComponent(system)}`, {
    awards: max,
  });
  const shown = points.data?.awards.length;
  const isAll = max === AWARDS_PER_READ_MAX;
  return (
    <>
      <Loading of={points}>
        {({ name, awards }) =>
          awards.length === 0 ? (
            <p class="soft">No points have been awarded yet.</p>
          ) : (
            <Table
              label={`Awards of ${name}`}
              rows={awards}
              keyOf={(award) => award.id ?? `${award.date} ${award.total}`}
              columns={[
                {
                  title: 'Cause',
                  cell: ({ trigger, boosts = [], date }) => (
                    <>
                      {triggerText(trigger ?? null)}
                      {boosts.map((boost) => ` × ${boost.multiplier} (${boost.name})`).join('')}
                      <div class="soft small">{formatInstant(date, timeZone)}</div>
                    </>
                  ),
                },
                { title: 'Points', isNumber: true, cell: ({ awarded }) => formatNumber(awarded) },
                { title: 'Total', isNumber: true, cell: ({ total }) => formatNumber(total) },
              ]}
            />
          )
        }
      </Loading>
      {isAll && shown === max ? (
        <p class="soft small">Earlier awards are in the timeline.</p>
      ) : (
        <ShowMore shown={shown} max={max} onClick={() => setMax(AWARDS_PER_READ_MAX)} />
      )}
    </>
  );
}
